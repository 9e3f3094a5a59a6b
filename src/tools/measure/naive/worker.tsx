import { Hono } from 'hono'
import { renderToReadableStream } from 'react-dom/server'
import items from '../../../../public/Items.json'
import { NaivePage } from './page.tsx'

const app = new Hono()
app.get('/products', async (c) =>
  c.body(await renderToReadableStream(<NaivePage items={items} />), 200, {
    'Content-Type': 'text/html',
    // Gives the page a new process. Otherwise, Lighthouse's own benchmark would count as the page's work.
    'Cross-Origin-Opener-Policy': 'same-origin',
  }),
)
app.get('/api/health', (c) => c.text('ok'))

export default app
