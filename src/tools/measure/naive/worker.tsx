import { Hono } from 'hono'
import { renderToReadableStream } from 'react-dom/server'
import items from '../../../../public/Items.json'
import { NaivePage } from './page.tsx'

const app = new Hono()
app.get('/products', async (c) =>
  c.body(await renderToReadableStream(<NaivePage items={items} />), 200, {
    'Content-Type': 'text/html',
    // With this header, the page gets a new process, as the shop's pages do. Otherwise, its work would include
    // Lighthouse's own benchmark.
    'Cross-Origin-Opener-Policy': 'same-origin',
  }),
)
app.get('/api/health', (c) => c.text('ok'))

export default app
