import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyCharacters } from '../../../test/support/hostile.ts'
import {
  findLoginProblem,
  findNewPasswordProblem,
  findRegistrationFormProblem,
  findRegistrationProblem,
  findResetEmailProblem,
  toEmailIdentity,
} from './auth-forms.ts'

const validForm = {
  name: 'Amina',
  email: 'amina@shopper.test',
  password: 'kikoi-6',
  confirmPassword: 'kikoi-6',
}

describe('the login form', () => {
  it('accepts an email address and a password of six characters', () => {
    expect(findLoginProblem({ email: ' Amina@Shopper.Test ', password: '123456' })).toBeUndefined()
  })

  it('reports missing fields first, then an invalid email, then a short password', () => {
    const wrong = { email: 'amina@shopper', password: '12345' }
    expect(findLoginProblem({ ...wrong, email: ' ' })).toEqual({
      message: 'All fields are required.',
      fields: ['email'],
    })
    expect(findLoginProblem(wrong)?.message).toBe('Please enter a valid email.')
    expect(findLoginProblem({ ...wrong, email: 'a@b.co' })?.message).toBe(
      'Password must be at least 6 characters.',
    )
  })
})

describe('the registration form', () => {
  it('reports missing fields first, then mismatched passwords, an invalid email and a short password', () => {
    const wrong = { name: ' ', email: 'amina', password: '12345', confirmPassword: 'x' }
    expect(findRegistrationFormProblem(wrong)).toEqual({
      message: 'All fields are required.',
      fields: ['name'],
    })
    const namedDetails = { ...wrong, name: 'Amina' }
    expect(findRegistrationFormProblem(namedDetails)).toEqual({
      message: 'Passwords do not match.',
      fields: ['confirmPassword'],
    })
    const matching = { ...namedDetails, confirmPassword: '12345' }
    expect(findRegistrationFormProblem(matching)?.message).toBe('Please enter a valid email.')
    expect(findRegistrationFormProblem({ ...matching, email: 'a@b.co' })?.message).toBe(
      'Password must be at least 6 characters.',
    )
    expect(findRegistrationFormProblem(validForm)).toBeUndefined()
  })

  it('rejects a blank password, which the login form could never send', () => {
    const blank = { ...validForm, password: ' '.repeat(8), confirmPassword: ' '.repeat(8) }
    expect(findRegistrationFormProblem(blank)).toEqual({
      message: 'All fields are required.',
      fields: ['password'],
    })
    expect(findNewPasswordProblem(blank)?.message).toBe('All fields are required.')
  })

  it('trims the name and the email, but not the password, to check that they are filled in', () => {
    const messageOf = (values: Partial<typeof validForm>) =>
      findRegistrationFormProblem({ ...validForm, ...values })?.message
    expect(messageOf({ name: ' ' })).toBe('All fields are required.')
    expect(messageOf({ email: ' ' })).toBe('All fields are required.')
    expect(messageOf({ confirmPassword: ' ' })).toBe('Passwords do not match.')
    expect(messageOf({ password: ' ', confirmPassword: ' ' })).toBe('Password must be at least 6 characters.')
    expect(findNewPasswordProblem({ password: 'kikoi-6', confirmPassword: ' ' })?.message).toBe(
      'Passwords do not match.',
    )
  })

  it('accepts only what the login form accepts', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), anyCharacters, (name, email, password) => {
        if (!findRegistrationProblem({ name, email, password }))
          expect(findLoginProblem({ email, password })).toBeUndefined()
      }),
    )
  })

  it('measures the minimum password length in characters and the maximum in bytes', () => {
    const problemOf = (password: string) => {
      const passwords = { password, confirmPassword: password }
      const problem = findNewPasswordProblem(passwords)
      expect(findRegistrationFormProblem({ ...validForm, ...passwords })).toEqual(problem)
      return problem?.message
    }
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
  ])('finds this problem in the email %j: %s', (email, message) => {
    expect(findResetEmailProblem({ email })?.message).toBe(message)
  })
})

describe('toEmailIdentity', () => {
  it('ignores case and surrounding spaces, and is idempotent', () => {
    fc.assert(
      fc.property(fc.emailAddress(), (email) => {
        const identity = toEmailIdentity(` ${email.toUpperCase()} `)
        expect(toEmailIdentity(identity)).toBe(identity)
        expect(identity).toBe(toEmailIdentity(email))
      }),
    )
  })
})
