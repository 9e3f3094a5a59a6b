import { describe, expect, it } from 'vitest'
import type { User } from '#shared/accounts/contract.ts'
import { createAccount, toCookieHeader } from '#test/support/account.ts'
import { testContext } from '#test/support/context.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { get, postForm, postJson } from '#test/support/posting.ts'

const DETAILS = {
  firstName: 'Amina',
  lastName: 'Njeri',
  address: 'Moi Avenue 4',
  address2: '',
  country: 'Kenya',
  state: 'Nairobi',
  zip: '00100',
  phone: '0712 345 678',
}
const NO_ADDRESS = { address: '', address2: '', country: '', state: '', zip: '' }

const change = (details: object, headers: Record<string, string>) =>
  postJson(testContext(), '/api/account/details', details, headers)
const fetchUser = async (headers: Record<string, string>) =>
  ((await (await get(testContext(), '/api/auth/session', headers)).json()) as { user: User }).user

describe('the details of an account', () => {
  it('are returned with the session, and set the displayed name', async () => {
    const { bearer, cookie, user } = await createAccount(testContext())
    const response = await change(DETAILS, { ...cookie })
    await expectStatus(response, 200)
    const { address2: _, ...known } = DETAILS
    const expected = { ...known, name: 'Amina Njeri', email: user.email }
    expect(await response.json()).toEqual({ user: expected })
    expect(await fetchUser(bearer)).toEqual(expected)
    const page = await get(testContext(), '/about', { Cookie: toCookieHeader(response) })
    expect(await page.text()).toContain('Amina Njeri')
  })

  it('can be saved without an address or phone number', async () => {
    const { bearer } = await createAccount(testContext())
    await expectStatus(await change(DETAILS, bearer), 200)
    await expectStatus(await change({ ...DETAILS, ...NO_ADDRESS, phone: '' }, bearer), 200)
    expect(await fetchUser(bearer)).toMatchObject({ firstName: 'Amina' })
    expect(Object.keys(await fetchUser(bearer)).sort()).toEqual(['email', 'firstName', 'lastName', 'name'])
  })

  it.each<[Partial<typeof DETAILS>, Record<string, string>]>([
    [{ firstName: ' ' }, { firstName: 'First name is required' }],
    [{ ...NO_ADDRESS, lastName: '' }, { lastName: 'Last name is required' }],
    [
      { ...NO_ADDRESS, state: 'Nairobi' },
      {
        address: 'Address is required',
        country: 'Please select a country',
        zip: 'Zip code is required',
      },
    ],
    [{ state: 'Zanzibar' }, { state: 'Please select a county' }],
    [{ phone: 'call me' }, { phone: 'Please enter a valid phone number' }],
    [
      { firstName: 'x'.repeat(60), lastName: 'y'.repeat(60) },
      { lastName: 'Name must be at most 100 characters.' },
    ],
  ])('are refused with a message for each invalid field: %o', async (differing, errors) => {
    const { bearer } = await createAccount(testContext())
    const response = await change({ ...DETAILS, ...differing }, bearer)
    await expectStatus(response, 400)
    expect(await response.json()).toMatchObject({ code: 'invalid_fields', errors })
  })

  it('lead to an activity entry when the address changes, but not when it is first saved', async () => {
    const { bearer } = await createAccount(testContext())
    const readEvents = async () =>
      ((await (await get(testContext(), '/api/auth/activity', bearer)).json()) as { events: object[] }).events
    await change(DETAILS, bearer)
    await change({ ...DETAILS, phone: '' }, bearer)
    expect(await readEvents()).toEqual([])
    await change({ ...DETAILS, address: 'Ngong Road 12' }, bearer)
    expect(await readEvents()).toMatchObject([{ kind: 'address_changed', browser: 'Unknown browser' }])
  })

  it('can only be changed with a session, from the shop’s own origin and within the rate limit', async () => {
    await expectStatus(await change(DETAILS, {}), 401)
    const { bearer, cookie } = await createAccount(testContext())
    const limits = { ...testContext().limits, writes: async () => false }
    await expectStatus(await postJson(testContext({ limits }), '/api/account/details', DETAILS, bearer), 429)
    await expectStatus(await change(DETAILS, { ...cookie, Origin: 'https://evil.example' }), 403)
  })

  it('can be edited in a prefilled form without JavaScript, which shows errors', async () => {
    const { cookie, bearer } = await createAccount(testContext(), {
      name: 'Amina Wanjiru',
      phone: '0712 000 000',
    })
    const page = await (await get(testContext(), '/dashboard/details', cookie)).text()
    for (const value of ['Amina', 'Wanjiru', '0712 000 000']) expect(page).toContain(`value="${value}"`)

    const wrong = await postForm(testContext(), '/dashboard/details', { ...DETAILS, zip: '' }, cookie)
    await expectStatus(wrong, 400)
    const html = await wrong.text()
    expect(html).toContain('Zip code is required')
    expect(html).toContain('value="Moi Avenue 4"')

    const saved = await postForm(testContext(), '/dashboard/details', DETAILS, cookie)
    await expectStatus(saved, 200)
    expect(await saved.text()).toContain('Your details have been saved.')
    expect(await fetchUser(bearer)).toMatchObject({ address: 'Moi Avenue 4' })
  })

  it('can’t be saved once the session has ended: the form redirects to Login', async () => {
    const { cookie } = await createAccount(testContext())
    await postJson(testContext(), '/api/auth/logout', {}, cookie)
    const response = await postForm(testContext(), '/dashboard/details', DETAILS, cookie)
    await expectStatus(response, 303)
    expect(response.headers.get('Location')).toBe('/login')
    expect(response.headers.get('Set-Cookie')).toContain('Max-Age=0')
  })
})
