import { useSetAtom } from 'jotai'
import { useState } from 'react'
import type { FormResult } from '#shared/page-data.ts'
import { href } from '#shared/routes.ts'
import { newPasswordProblem, RESET_CODES, RESET_LINK_PROBLEMS } from '#shared/rules/auth-forms.ts'
import { callApi, prepareCall } from '../../api.ts'
import { signOutAtom } from '../../state/session.ts'
import { FormEnd } from '../../ui/form-end.tsx'
import { FormDone, FormProblemBanner } from '../../ui/form-messages.tsx'
import { NewPasswordFields } from '../../ui/new-password-fields.tsx'
import { useForm } from '../../ui/use-form.ts'

/** What is said when the server says nothing (§ 8). */
const RESET_FAILED = 'Reset failed. Try again.'

/** The call and its schemas are fetched when the form is being filled in. */
const call = () => import('#shared/contract/identity.ts').then(({ resetPassword }) => resetPassword)

type ResetPasswordFormProps = { oobCode: string; posted: FormResult | null }

/** Chooses a new password with the mail's code; a link that is used up or unknown says so and offers another. */
export function ResetPasswordForm({ oobCode, posted }: ResetPasswordFormProps) {
  const signOut = useSetAtom(signOutAtom)
  const [linkProblem, setLinkProblem] = useState(() => postedLinkProblem(oobCode, posted))
  const { state, formProps, fieldProps } = useForm({
    fields: ['password', 'confirmPassword'],
    posted,
    problemOf: newPasswordProblem,
    prepare: () => prepareCall(call),
    async send({ password }) {
      const result = await callApi(call, { oobCode, newPassword: password })
      if (result.ok) {
        // The server has ended every session of this person.
        signOut()
        return undefined
      }
      const { message = RESET_FAILED } = result
      setLinkProblem(linkProblemIn(message))
      return message.replace(`${RESET_CODES.weak} : `, '')
    },
  })

  if (state.status === 'done') {
    return (
      <FormDone message="Your new password is set.">
        <a className="button" href={href('login')}>
          Login
        </a>
      </FormDone>
    )
  }
  if (linkProblem) {
    return (
      <>
        <FormProblemBanner state={{ status: 'failed', message: linkProblem, fields: [] }} />
        <a className="button" href={href('forgotPassword')}>
          Ask for a new link
        </a>
      </>
    )
  }
  return (
    <form {...formProps} action={href('resetPassword')} className="stack">
      <input type="hidden" name="oobCode" value={oobCode} />
      <NewPasswordFields label="New Password" fieldProps={fieldProps} />
      <FormEnd state={state} label="Set New Password" busy="Saving..." />
    </form>
  )
}

/** What is wrong with the link from the start, as far as that is known. */
function postedLinkProblem(oobCode: string, posted: FormResult | null): string | undefined {
  if (posted?.outcome.kind === 'failed') {
    const { code, message } = posted.outcome
    if (code === 'reset_link_expired' || code === 'reset_link_invalid') return message
  }
  return oobCode || posted?.outcome.kind === 'done' ? undefined : RESET_LINK_PROBLEMS.invalid
}

/** What a failure says of the link itself, for people. */
function linkProblemIn(message: string): string | undefined {
  if (message === RESET_CODES.expired) return RESET_LINK_PROBLEMS.expired
  if (message === RESET_CODES.invalid) return RESET_LINK_PROBLEMS.invalid
  return undefined
}
