import { describe, expect, it } from 'vitest'
import { prefilled } from './billing.ts'

const user = { name: 'Amina Wanjiru Otieno', email: 'amina@shopper.test' }

describe('the prefilled billing form', () => {
  it('splits the name where first and last name are not known', () => {
    expect(prefilled(user)).toMatchObject({
      firstName: 'Amina',
      lastName: 'Wanjiru Otieno',
      email: 'amina@shopper.test',
      address: '',
    })
    expect(prefilled({ ...user, name: ' Amina ' })).toMatchObject({ firstName: 'Amina', lastName: '' })
    expect(prefilled({ ...user, name: '' })).toMatchObject({ firstName: '', lastName: '' })
  })

  it('takes the remembered names and address as they are', () => {
    const remembered = {
      firstName: 'Amina',
      lastName: 'Otieno',
      address: 'Moi Avenue 4',
      address2: 'Flat 12',
      country: 'Kenya',
      state: 'Kisumu',
      zip: '40100',
    }
    expect(prefilled({ ...user, ...remembered })).toMatchObject(remembered)
  })

  it('leaves a county open that the shop does not offer', () => {
    expect(prefilled({ ...user, country: 'Atlantis', state: 'Lamu' })).toMatchObject({
      country: '',
      state: '',
    })
  })

  it('is empty without a user', () => {
    expect(new Set(Object.values(prefilled(null)))).toEqual(new Set(['']))
  })
})
