import { describe, expect, it } from 'vitest'
import { runShop } from './run-shop.ts'

describe('the words of a command', () => {
  const refused = (...argv: string[]) =>
    runShop(argv, () => Promise.reject(new Error('The database was opened for nothing.')))

  it.each([[[]], [['help']], [['orders', '--help']]])('%j shows what there is', async (argv) => {
    expect(await refused(...argv)).toContain('orders status <number> <new>')
  })

  it.each([
    [['oders'], 'There is no "oders". There are: orders, messages, promotions, mail, figures, help.'],
    [['orders', 'show'], /^It is one of:\n {2}npm run shop -- orders \[list\]/],
    [['orders', 'show', 'a', 'b'], /^It is one of:/],
    [['mail', '--status', 'paid'], '--status does not belong here: mail [stuck]'],
    [['orders', '--nothing'], "Unknown option '--nothing'. What there is: npm run shop -- help"],
    [['orders', '--env', 'production'], '--env names a remote database: it goes with --remote.'],
  ])('%j is refused before any database is opened', async (argv, sentence) => {
    await expect(refused(...argv)).rejects.toThrow(sentence)
  })

  it('say which database is meant', async () => {
    const places: unknown[] = []
    const open = async (place: object) => {
      places.push(place)
      throw new Error('It is closed.')
    }
    for (const options of [[], ['--remote'], ['--remote', '--env', 'staging']])
      await expect(runShop(['promotions', ...options], open)).rejects.toThrow('It is closed.')
    expect(places).toEqual([
      { remote: false, environment: 'production' },
      { remote: true, environment: 'production' },
      { remote: true, environment: 'staging' },
    ])
  })
})
