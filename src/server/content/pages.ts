import type { PageLoader } from '#server/platform/pages/page-loader.ts'
import { createAboutView, getContactTexts } from '#shared/content/content.ts'

export const loadAboutPage: PageLoader<'about'> = (_request, { content }) => ({
  status: 200,
  data: createAboutView(content.current().pages),
})

export const loadContactPage: PageLoader<'contact'> = (_request, { content }) => ({
  status: 200,
  data: { texts: getContactTexts(content.current().pages), posted: null },
})
