import type { Context } from 'hono'
import type { OfficeEnv } from '#office/context.ts'
import { CATALOGUE_PATH } from '#office/platform/sections.ts'

const PARAMETERS = ['q', 'category', 'state', 'page'] as const

/** The catalogue's filter in a request's address as a query string, `?q=maxi`; empty without one. */
export function filterQuery(c: Context<OfficeEnv>): string {
  const entries = PARAMETERS.flatMap((name) => {
    const value = c.req.query(name)
    return value ? [[name, value]] : []
  })
  return entries.length > 0 ? `?${new URLSearchParams(entries)}` : ''
}

/** The filtered list, with the message `done` above it. */
export function filteredListPath(c: Context<OfficeEnv>, done?: string): string {
  const parameters = new URLSearchParams(filterQuery(c))
  if (done) parameters.set('done', done)
  return parameters.size > 0 ? `${CATALOGUE_PATH}?${parameters}` : CATALOGUE_PATH
}
