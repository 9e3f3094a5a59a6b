import { Hono } from 'hono'
import { renderToReadableStream } from 'react-dom/server'
import items from '../../../public/Items.json'

// The reference a shop would get from an afternoon's work: Hono, React's own stream, the same cards, nothing cached.

type Item = { id: number; title?: string; name?: string; description: string; price: number; image: string }

function Card({ item }: { item: Item }) {
  const title = item.title ?? item.name ?? ''
  return (
    <li className="card">
      <img src={item.image} alt={title} width="320" height="400" loading="lazy" />
      <h2>{`${title.slice(0, 12)}…`}</h2>
      <p>{`${item.description.slice(0, 90)}…`}</p>
      <p className="price">{`KSH ${item.price}`}</p>
      <a href={`/product/${item.id}`}>Buy Now</a>
      <button type="button">Add to Cart</button>
    </li>
  )
}

function Page() {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <title>Shop</title>
      </head>
      <body>
        <h1>Shop</h1>
        <ul>
          {items.map((item) => (
            <Card key={item.id} item={item} />
          ))}
        </ul>
        <script type="application/json">{JSON.stringify(items).replaceAll('<', '\\u003c')}</script>
      </body>
    </html>
  )
}

const app = new Hono()
app.get('/products', async (c) =>
  c.body(await renderToReadableStream(<Page />), 200, { 'Content-Type': 'text/html' }),
)

export default app
