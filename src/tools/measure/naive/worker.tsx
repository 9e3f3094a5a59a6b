import { Hono } from 'hono'
import { renderToReadableStream } from 'react-dom/server'
import items from '../../../../public/Items.json'
import { NaivePage } from './page.tsx'

// The reference: Hono and React's own stream, the same cards and their data, hydrated as a whole; nothing is cached.

const app = new Hono()
app.get('/products', async (c) =>
  c.body(await renderToReadableStream(<NaivePage items={items} />), 200, { 'Content-Type': 'text/html' }),
)
// As the shop does, for what waits until a Worker is up.
app.get('/api/health', (c) => c.text('ok'))

export default app
