import type { FormResult } from '#shared/page-data.ts'
import { href } from '#shared/routes.ts'
import type { PageProps } from '../../router/page.ts'
import { WithData } from '../../router/page-data.tsx'
import { FormCard, FormSuccess } from '../../ui/form-card.tsx'
import { ErrorBanner } from '../../ui/form-status.tsx'

/** Where the welcome mail's link leads. Opening it changes nothing: mail programs open links on their own. */
function VerifyEmailPage({ location, data }: PageProps<'verifyEmail'>) {
  return (
    <FormCard heading="Confirm Your Address" art="beads">
      <WithData source={data} fallback={null}>
        {(posted) => <VerifyEmail code={location.search.get('code') ?? ''} posted={posted} />}
      </WithData>
    </FormCard>
  )
}

function VerifyEmail({ code, posted }: { code: string; posted: FormResult | null }) {
  if (posted?.outcome.kind === 'done') {
    return (
      <FormSuccess message="Your address is confirmed.">
        <a className="button" href={href('shop')}>
          Go shopping
        </a>
      </FormSuccess>
    )
  }
  const message = posted?.outcome.message ?? (code ? undefined : 'This link is not valid.')
  if (message) return <ErrorBanner role="alert">{message}</ErrorBanner>
  return (
    <form method="post" action={href('verifyEmail')} className="stack">
      <p>Did you open an account with us? Then please confirm that this address is yours.</p>
      <input type="hidden" name="code" value={code} />
      <button type="submit" className="button button--wide">
        Confirm my address
      </button>
    </form>
  )
}

export { VerifyEmailPage as Page }
