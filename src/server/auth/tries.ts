import type { Deps } from '../deps.ts'

/** What a try is about: who makes it, from the network's view, and whose account it touches. */
export type Try = { address: string; account?: string }

/** Counts a try of `what` by address and by account, before any costly work; false when either has had too many. */
export async function mayTry(
  what: string,
  { address, account }: Try,
  { limits }: Pick<Deps, 'limits'>,
): Promise<boolean> {
  const counted = await Promise.all([
    limits.tries(`${what} from ${address}`),
    account === undefined || limits.tries(`${what} for ${account}`),
  ])
  return counted.every(Boolean)
}
