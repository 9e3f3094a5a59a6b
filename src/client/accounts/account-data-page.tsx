import { useSetAtom } from 'jotai'
import type { PageProps } from '#client/app/router/page.ts'
import { WithData } from '#client/app/router/page-data.tsx'
import { isSessionEndingAtom } from '#client/app/session.ts'
import { onRestored } from '#client/app/wait.ts'
import { Field } from '#client/ui/field.tsx'
import { exportData } from '#shared/accounts/contract.ts'
import type { FormResult } from '#shared/page-data.ts'
import { href } from '#shared/routes.ts'
import { AccountSectionPage } from './account-section.tsx'

const ERROR_ID = 'delete-error'

/** Where the signed-in person takes their data along, or deletes the account (§ 2). */
function AccountDataPage({ data }: PageProps<'accountData'>) {
  return (
    <AccountSectionPage name="accountData" intro="What we have stored about you is yours.">
      <section className="panel stack" aria-labelledby="take-along">
        <h2 id="take-along">Take your data along</h2>
        <p>A file (JSON) with everything: your details, orders, payments, devices, messages and activity.</p>
        <a className="button button--quiet" href={`/api${exportData.path}`} download>
          Download my data
        </a>
      </section>
      <section className="panel stack" aria-labelledby="delete">
        <h2 id="delete">Delete your account</h2>
        <p>
          We delete what we have stored about you at once, and it cannot be brought back. Orders stay in our
          books, without your name, address, phone number and e-mail address. An order that is not paid yet is
          cancelled.
        </p>
        <WithData source={data} fallback={null}>
          {(posted) => <DeleteForm posted={posted} />}
        </WithData>
      </section>
    </AccountSectionPage>
  )
}

/** Posted as a document, with scripts too: its answer clears what the browser has stored, and belongs to nobody's page. */
function DeleteForm({ posted }: { posted: FormResult | null }) {
  const setSessionEnding = useSetAtom(isSessionEndingAtom)
  const onSubmit = () => {
    setSessionEnding()
    onRestored(() => location.reload())
  }
  const error = posted?.outcome.kind === 'failed' ? posted.outcome.message : undefined
  return (
    <form
      method="post"
      noValidate
      action={href('accountData')}
      onSubmit={onSubmit}
      className="stack account__form"
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
