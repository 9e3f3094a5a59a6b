import { NotFound } from '../../ui/not-found.tsx'

/** Any path outside the table (§ 2). */
function NotFoundPage() {
  return <NotFound />
}

export { NotFoundPage as Page }
