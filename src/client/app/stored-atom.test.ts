import { createStore } from 'jotai'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createStorage } from '../../../test/support/storage.ts'
import { createStoredAtom, parseStringRecord } from './stored-atom.ts'

let stored: Map<string, string>
beforeEach(() => {
  stored = new Map()
  vi.stubGlobal('addEventListener', () => {})
  vi.stubGlobal('removeEventListener', () => {})
  vi.stubGlobal('sessionStorage', createStorage(stored))
})
afterEach(() => vi.unstubAllGlobals())

const draftAtom = () =>
  createStoredAtom<Readonly<Record<string, string>>>({
    key: 'draft',
    storage: 'session',
    empty: {},
    parse: parseStringRecord,
    serialize: (draft) => (Object.values(draft).some(Boolean) ? JSON.stringify(draft) : null),
  })

describe('a stored atom', () => {
  it.each([
    ['broken JSON', '{"name":', {}],
    ['null', 'null', {}],
    ['fields that are not strings', '{"name":"Amina","email":7,"more":{"a":1}}', { name: 'Amina' }],
  ])('ignores invalid values: %s', (_what, text, value) => {
    stored.set('draft', text)
    const store = createStore()
    expect(store.set(draftAtom())).toEqual(value)
  })

  it('stores and returns the new value, or deletes the key when there is nothing to store', () => {
    const store = createStore()
    const draft = draftAtom()
    expect(store.set(draft, (now) => ({ ...now, name: 'Amina' }))).toEqual({ name: 'Amina' })
    expect(stored.get('draft')).toBe('{"name":"Amina"}')
    expect(store.set(draft, () => ({ name: '' }))).toEqual({ name: '' })
    expect(stored.has('draft')).toBe(false)
  })

  it('writes nothing when a change leaves the value as it is', () => {
    stored.set('draft', '{"name":"Amina"}')
    const write = vi.spyOn(sessionStorage, 'setItem')
    createStore().set(draftAtom(), (now) => now)
    expect(write).not.toHaveBeenCalled()
  })
})
