import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacters } from '../../../test/support/hostile.ts'
import {
  emailIdentity,
  loginProblem,
  newPasswordProblem,
  registrationFormProblem,
  registrationProblem,
  resetEmailProblem,
} from './auth-forms.ts'

const validForm = {
  name: 'Amina',
  email: 'amina@shopper.test',
  password: 'kikoi-6',
  confirmPassword: 'kikoi-6',
}

describe('the login form', () => {
  it('accepts an email address and a password of six characters', () => {
    expect(loginProblem({ email: ' Amina@Shopper.Test ', password: '123456' })).toBeUndefined()
  })

  it('reports missing fields first, then the email, then the password length', () => {
    const wrong = { email: 'amina@shopper', password: '12345' }
    expect(loginProblem({ ...wrong, email: ' ' })).toEqual({
      message: 'All fields are required.',
      fields: ['email'],
    })
    expect(loginProblem(wrong)?.message).toBe('Please enter a valid email.')
    expect(loginProblem({ ...wrong, email: 'a@b.co' })?.message).toBe(
      'Password must be at least 6 characters.',
    )
  })
})

describe('the registration form', () => {
  it('reports missing fields first, then different passwords, the email and the length', () => {
    const wrong = { name: ' ', email: 'amina', password: '12345', confirmPassword: 'x' }
    expect(registrationFormProblem(wrong)).toEqual({ message: 'All fields are required.', fields: ['name'] })
    const named = { ...wrong, name: 'Amina' }
    expect(registrationFormProblem(named)).toEqual({
      message: 'Passwords do not match.',
      fields: ['confirmPassword'],
    })
    const matching = { ...named, confirmPassword: '12345' }
    expect(registrationFormProblem(matching)?.message).toBe('Please enter a valid email.')
    expect(registrationFormProblem({ ...matching, email: 'a@b.co' })?.message).toBe(
      'Password must be at least 6 characters.',
    )
    expect(registrationFormProblem(validForm)).toBeUndefined()
  })

  it('rejects a password that the login form could never send', () => {
    const blank = { ...validForm, password: ' '.repeat(8), confirmPassword: ' '.repeat(8) }
    expect(registrationFormProblem(blank)).toEqual({
      message: 'All fields are required.',
      fields: ['password'],
    })
    expect(newPasswordProblem(blank)?.message).toBe('All fields are required.')
  })

  it('trims the name and the email to check that they are filled in, but not the password', () => {
    const messageOf = (values: Partial<typeof validForm>) =>
      registrationFormProblem({ ...validForm, ...values })?.message
    expect(messageOf({ name: ' ' })).toBe('All fields are required.')
    expect(messageOf({ email: ' ' })).toBe('All fields are required.')
    expect(messageOf({ confirmPassword: ' ' })).toBe('Passwords do not match.')
    expect(messageOf({ password: ' ', confirmPassword: ' ' })).toBe('Password must be at least 6 characters.')
    expect(newPasswordProblem({ password: 'kikoi-6', confirmPassword: ' ' })?.message).toBe(
      'Passwords do not match.',
    )
  })

  it('accepts only what the login form accepts', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), anyCharacters, (name, email, password) => {
        if (!registrationProblem({ name, email, password }))
          expect(loginProblem({ email, password })).toBeUndefined()
      }),
    )
  })

  it('measures the minimum password length in characters and the maximum in bytes', () => {
    const problemOf = (password: string) =>
      newPasswordProblem({ password, confirmPassword: password })?.message
    expect(problemOf('🧵'.repeat(5))).toBe('Password must be at least 6 characters.')
    expect(problemOf('🧵'.repeat(6))).toBeUndefined()
    expect(problemOf('🧵'.repeat(64))).toBeUndefined()
    expect(problemOf('🧵'.repeat(65))).toBe(
      'Password must be at most 256 characters (fewer with accents or emoji).',
    )
  })
})

describe('the password reset form', () => {
  it.each([
    ['', 'Email is required.'],
    [' \t', 'Email is required.'],
    ['amina', 'Please enter a valid email.'],
    ['a b@c.co', 'Please enter a valid email.'],
    [' a@b.co ', undefined],
  ])('reports for %j: %s', (email, message) => {
    expect(resetEmailProblem({ email })?.message).toBe(message)
  })
})

describe('emailIdentity', () => {
  it('ignores case and is idempotent', () => {
    fc.assert(
      fc.property(fc.emailAddress(), (email) => {
        const identity = emailIdentity(` ${email.toUpperCase()} `)
        expect(emailIdentity(identity)).toBe(identity)
        expect(identity).toBe(emailIdentity(email))
      }),
    )
  })
})
