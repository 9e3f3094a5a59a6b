import { useSetAtom } from 'jotai'
import { useState } from 'react'
import { callApi } from '#client/app/api.ts'
import { createDraftAtom } from '#client/app/drafts.ts'
import type { PageProps } from '#client/app/router/page.ts'
import { WithData } from '#client/app/router/page-data.tsx'
import { saveUserAtom } from '#client/app/session.ts'
import { useUser } from '#client/app/use-user.ts'
import { getBillingPrefill } from '#client/checkout/billing.ts'
import { OrderFieldInput } from '#client/checkout/order-field-input.tsx'
import { FormError, SubmitButton } from '#client/ui/form-status.tsx'
import { useForm } from '#client/ui/use-form.ts'
import { DETAILS_FIELDS, findDetailsProblem } from '#shared/accounts/account-forms.ts'
import { changeDetailsCall, getDetailsCall } from '#shared/accounts/contract.ts'
import type { AccountDetailsView } from '#shared/page-data.ts'
import { href } from '#shared/routes.ts'
import { AccountSectionPage } from './account-section.tsx'
import { EmailAddress } from './email-address.tsx'

function AccountDetailsPage({ data }: PageProps<'accountDetails'>) {
  return (
    <AccountSectionPage
      name="accountDetails"
      intro="We use these to fill in the checkout form for you. Address and phone number are optional."
    >
      <WithData
        source={data}
        fallback={
          <p className="only-hydrating" role="status">
            Loading...
          </p>
        }
      >
        {(view) => <DetailsForm {...view} />}
      </WithData>
    </AccountSectionPage>
  )
}

function DetailsForm({ user, lastOrder, posted }: AccountDetailsView) {
  const known = useUser()
  const saveUser = useSetAtom(saveUserAtom)
  const [draft] = useState(createDraftAtom)
  const details = user ?? known
  const { state, formProps, fieldProps, submitProps } = useForm({
    fields: DETAILS_FIELDS,
    draft,
    initial: lastOrder ? lastOrder.details : { ...getBillingPrefill(details), phone: details?.phone ?? '' },
    posted,
    validateField: findDetailsProblem,
    async send(values) {
      const result = await callApi(changeDetailsCall, values)
      if (result.ok) {
        saveUser(result.data.user)
        return undefined
      }
      const hasFieldErrors = DETAILS_FIELDS.some((field) => result.errors[field])
      return hasFieldErrors
        ? result.errors
        : (result.message ?? 'We couldn’t save your details. Please try again.')
    },
  })

  return (
    <form
      {...formProps}
      action={href('accountDetails')}
      className="panel stack"
      data-offline="your details weren’t saved"
    >
      <fieldset className="fieldset">
        <legend>
          {details ? (
            <>
              {'Logged in as '}
              <EmailAddress email={details.email} />
            </>
          ) : (
            'Your details'
          )}
        </legend>
        {lastOrder && state.status !== 'success' && (
          <p className="field--wide">
            {'We’ve filled these in from your order '}
            <span className="unbroken">{lastOrder.number}</span>. Please check and save them.
          </p>
        )}
        {DETAILS_FIELDS.map((field) => (
          <OrderFieldInput
            key={field}
            field={field}
            binding={fieldProps(field)}
            isOptional={field !== 'firstName' && field !== 'lastName'}
          />
        ))}
      </fieldset>
      <FormError state={state} />
      <div role="status">
        {state.status === 'success' && (
          <p className="banner banner--success">
            <span className="banner__mark" aria-hidden="true">
              ✓
            </span>
            <span>Your details have been saved.</span>
          </p>
        )}
      </div>
      <SubmitButton {...submitProps} label="Save details" busyLabel="Saving..." />
    </form>
  )
}

export { AccountDetailsPage as Page }

export async function load(): Promise<AccountDetailsView> {
  const result = await callApi(getDetailsCall)
  return { ...(result.ok ? result.data : { user: null, lastOrder: null }), posted: null }
}
