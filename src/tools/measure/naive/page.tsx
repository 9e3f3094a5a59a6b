import { hydrateRoot } from 'react-dom/client'

type Item = { id: number; title?: string; name?: string; description: string; price: number; image: string }

const STYLES = `body { font-family: sans-serif; margin: 1rem } ul { display: grid; gap: 1rem; padding: 0;
  grid-template-columns: repeat(auto-fill, minmax(10rem, 1fr)); list-style: none } img { max-width: 100%; height: auto }`

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

/** The reference *naive* (docs/performance.md): the Shop page without optimisations. */
export function NaivePage({ items }: { items: readonly Item[] }) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Shop</title>
        <style>{STYLES}</style>
      </head>
      <body>
        <h1>Shop</h1>
        <ul>
          {items.map((item) => (
            <Card key={item.id} item={item} />
          ))}
        </ul>
        <script type="application/json" id="items">
          {JSON.stringify(items).replaceAll('<', '\\u003c')}
        </script>
        <script type="module" src="/naive.js" />
      </body>
    </html>
  )
}

if (typeof document !== 'undefined') {
  const items: Item[] = JSON.parse(document.getElementById('items')?.textContent ?? '[]')
  hydrateRoot(document, <NaivePage items={items} />)
}
