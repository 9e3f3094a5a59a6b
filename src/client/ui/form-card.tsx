import { type ReactNode, useEffect, useRef } from 'react'
import { navigate } from '#client/app/router/page.ts'
import { MIN_PASSWORD_CHARACTERS } from '#shared/accounts/limits.ts'
import { Field, type FieldBinding } from './field.tsx'

type FormCardProps = {
  heading: string
  intro?: string
  art: 'dresses' | 'romper' | 'beads'
  children: ReactNode
}

export function FormCard({ heading, intro, art, children }: FormCardProps) {
  return (
    <div className="page form-page">
      <div className={`form-card form-card--${art}`}>
        <div className="form-card__body stack">
          <h1>{heading}</h1>
          {intro && <p className="lead">{intro}</p>}
          {children}
        </div>
      </div>
    </div>
  )
}

type FormSuccessProps = {
  message: string
  redirect?: { to: string; afterMs: number }
  children?: ReactNode
}

export function FormSuccess({ message, redirect, children }: FormSuccessProps) {
  const panelRef = useRef<HTMLDivElement>(null)
  const { to, afterMs } = redirect ?? {}
  useEffect(() => panelRef.current?.focus(), [])
  useEffect(() => {
    if (!to) return
    const timer = setTimeout(() => navigate(to), afterMs)
    return () => clearTimeout(timer)
  }, [to, afterMs])

  return (
    <div className="form-card__success" tabIndex={-1} ref={panelRef}>
      <p className="banner banner--success" role="status">
        <span className="banner__mark" aria-hidden="true">
          ✓
        </span>
        <span>{message}</span>
      </p>
      {children}
    </div>
  )
}

type NewPasswordFieldsProps = {
  label: string
  fieldProps: (name: 'password' | 'confirmPassword') => FieldBinding
}

export function NewPasswordFields({ label, fieldProps }: NewPasswordFieldsProps) {
  const rest = { type: 'password', autoComplete: 'new-password' } as const
  return (
    <>
      <Field
        label={label}
        {...fieldProps('password')}
        {...rest}
        placeholder={`Min ${MIN_PASSWORD_CHARACTERS} characters`}
      />
      <Field label="Confirm Password" {...fieldProps('confirmPassword')} {...rest} />
    </>
  )
}
