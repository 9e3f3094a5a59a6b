import { useSetAtom } from 'jotai'
import type { PageProps } from '#client/app/router/page.ts'
import { WithData } from '#client/app/router/page-data.tsx'
import { isSessionEndingAtom } from '#client/app/session.ts'
import { onPageRestored } from '#client/app/wait.ts'
import { Field } from '#client/ui/field.tsx'
import { exportDataCall } from '#shared/accounts/contract.ts'
import type { FormResult } from '#shared/page-data.ts'
import { href } from '#shared/routes.ts'
import { AccountSectionPage } from './account-section.tsx'

const ERROR_ID = 'delete-error'

function AccountDataPage({ data }: PageProps<'accountData'>) {
  return (
    <AccountSectionPage name="accountData" intro="Download your data, or delete your account.">
      <section className="panel stack" aria-labelledby="download">
        <h2 id="download">Download your data</h2>
        <p>One file with everything: your details, orders, payments, devices, messages and activity.</p>
        <a className="button button--quiet" href={`/api${exportDataCall.path}`} download>
          Download my data
        </a>
      </section>
      <section className="panel stack" aria-labelledby="delete">
        <h2 id="delete">Delete your account</h2>
        <p>
          We delete your data immediately, and this can’t be undone. Orders stay in our records without your
          name, address, phone number or email address. Unpaid orders are cancelled.
        </p>
        <WithData source={data} fallback={null}>
          {(posted) => <DeleteForm posted={posted} />}
        </WithData>
      </section>
    </AccountSectionPage>
  )
}

/** Posts as a document rather than with `fetch`, because the response clears browser storage. */
function DeleteForm({ posted }: { posted: FormResult | null }) {
  const setSessionEnding = useSetAtom(isSessionEndingAtom)
  const onSubmit = () => {
    setSessionEnding()
    onPageRestored(() => location.reload())
  }
  const error = posted?.outcome.kind === 'failed' ? posted.outcome.message : undefined
  return (
    <form
      method="post"
      noValidate
      action={href('accountData')}
      onSubmit={onSubmit}
      className="stack account__form"
      data-offline="your account wasn’t deleted"
    >
      <Field
        label="Your password"
        name="password"
        type="password"
        autoComplete="current-password"
        describedBy={error && ERROR_ID}
      />
      {error && (
        <p className="banner banner--error" role="alert" id={ERROR_ID}>
          {error}
        </p>
      )}
      <button type="submit" className="button button--danger">
        Delete my account
      </button>
    </form>
  )
}

export { AccountDataPage as Page }
