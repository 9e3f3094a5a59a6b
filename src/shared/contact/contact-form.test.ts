import { describe, expect, it } from 'vitest'
import {
  type ContactField,
  findContactProblem,
  findContactProblems,
  formatMessageCounter,
} from './contact-form.ts'

describe('the contact form', () => {
  it.each<[ContactField, string, string | undefined]>([
    ['name', '', 'Name is required'],
    ['name', '   ', 'Name is required'],
    ['name', ' a ', 'Name must be at least 2 characters'],
    ['name', ' Li ', undefined],
    ['name', 'a'.repeat(201), 'Name must be at most 200 characters'],
    ['email', ' ', 'Email is required'],
    ['email', 'wanjiru', 'Please enter a valid email address'],
    ['email', 'wanjiru@example', 'Please enter a valid email address'],
    ['email', 'wan jiru@example.com', 'Please enter a valid email address'],
    ['email', 'a@b@example.com', 'Please enter a valid email address'],
    ['email', ' wanjiru@example.com ', undefined],
    ['message', '', 'Message is required'],
    ['message', '  too short ', 'Message must be at least 10 characters'],
    ['message', '0123456789', undefined],
    ['message', 'a'.repeat(501), undefined],
    ['message', 'a'.repeat(5000), undefined],
    ['message', 'a'.repeat(5001), 'Message must be at most 5,000 characters'],
  ])('for %s %j gives the error: %s', (field, value, problem) => {
    expect(findContactProblem(field, value)).toBe(problem)
  })

  it('reports all three fields when they are empty, and none when they are valid', () => {
    expect(Object.keys(findContactProblems({ name: '', email: '', message: '' }))).toEqual([
      'name',
      'email',
      'message',
    ])
    expect(findContactProblems({ name: 'Li', email: 'li@example.com', message: 'Habari yako?' })).toEqual({})
  })

  it.each([
    [0, '0/500', false],
    [400, '400/500', false],
    [401, '401/500', true],
    [620, '620/500', true],
  ])('counts %i characters as %s, warning: %s', (length, text, isWarning) => {
    expect(formatMessageCounter('a'.repeat(length))).toEqual({ text, isWarning })
  })
})
