import { isDeliverableAddress, MAX_EMAIL_CHARACTERS } from '#shared/email.ts'
import { formatNumber } from '../format.ts'

export const CONTACT_FIELDS = ['name', 'email', 'message'] as const
export type ContactField = (typeof CONTACT_FIELDS)[number]
export type ContactValues = Record<ContactField, string>
export type ContactProblems = Partial<ContactValues>

/** The name of the honeypot field, which people don't see and autofill doesn't recognise. */
export const CONTACT_HONEYPOT_FIELD = 'leave_empty'

const NAME_MIN_CHARACTERS = 2
const MESSAGE_MIN_CHARACTERS = 10
export const MESSAGE_COUNTER_MAX_CHARACTERS = 500
export const MESSAGE_WARNING_CHARACTERS = 400
export const CONTACT_MAX_CHARACTERS = { name: 200, email: MAX_EMAIL_CHARACTERS, message: 5000 } as const

const FIELD_LABELS: ContactValues = { name: 'Name', email: 'Email', message: 'Message' }

export function findContactProblem(field: ContactField, value: string): string | undefined {
  const text = value.trim()
  if (text === '') return `${FIELD_LABELS[field]} is required`
  if (text.length > CONTACT_MAX_CHARACTERS[field])
    return `${FIELD_LABELS[field]} must be at most ${formatNumber(CONTACT_MAX_CHARACTERS[field])} characters`
  switch (field) {
    case 'name':
      return text.length < NAME_MIN_CHARACTERS ? 'Name must be at least 2 characters' : undefined
    case 'email':
      return isDeliverableAddress(text) ? undefined : 'Please enter a valid email address'
    case 'message':
      return text.length < MESSAGE_MIN_CHARACTERS ? 'Message must be at least 10 characters' : undefined
  }
}

export function findContactProblems(form: ContactValues): ContactProblems {
  const problems = CONTACT_FIELDS.map((field) => [field, findContactProblem(field, form[field])] as const)
  return Object.fromEntries(problems.filter(([, problem]) => problem !== undefined))
}

export function formatMessageCounter(message: string): { text: string; isWarning: boolean } {
  return {
    text: `${message.length}/${MESSAGE_COUNTER_MAX_CHARACTERS}`,
    isWarning: message.length > MESSAGE_WARNING_CHARACTERS,
  }
}
