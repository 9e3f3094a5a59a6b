import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isDeliverableAddress, isEmailAddress } from './email.ts'

describe('an address that receives email', () => {
  it.each(['amina@shopper.co.ke', "o'neil+tag@x.co", 'süß@münchen.example', 'a.b-c_d@x-y.example'])(
    'may be %s',
    (email) => {
      expect(isDeliverableAddress(email)).toBe(true)
    },
  )

  it.each([
    '<v>x@y.zz',
    'a,b@x.yz',
    'a;b@x.yz',
    '"a b"@x.yz',
    'a(comment)@x.yz',
    'a:b@x.yz',
    'a\\b@x.yz',
    '.a@x.yz',
    'a.@x.yz',
    'a..b@x.yz',
    'a@x..yz',
    'a@-x.yz',
    'a@x.yz.',
    'a@[127.0.0.1]',
    'a@x',
  ])('is never %s', (email) => {
    expect(isDeliverableAddress(email)).toBe(false)
  })

  it('is one that the login form accepts', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        if (isDeliverableAddress(text)) expect(isEmailAddress(text)).toBe(true)
      }),
    )
    fc.assert(fc.property(fc.emailAddress(), (email) => void expect(isEmailAddress(email)).toBe(true)))
  })
})
