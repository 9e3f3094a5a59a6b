import { useAtomValue } from 'jotai'
import { categoriesAtom } from '#client/catalogue/categories.ts'
import { href } from '#shared/routes.ts'

/** Lists the categories, because the cart links to `/categories` (§ 2). */
function NotFoundPage() {
  const categories = useAtomValue(categoriesAtom)
  return (
    <div className="not-found notice">
      <img src="/images/lost.svg" alt="" width="400" height="300" />
      <h1 className="not-found__number">404</h1>
      <p className="lead">{"Whoops! The page you're looking for seems to have vanished."}</p>
      <a className="button" href={href('home')}>
        Return Home
      </a>
      <nav className="not-found__categories" aria-labelledby="categories">
        <h2 id="categories">Or browse by category</h2>
        <ul className="chips">
          {categories.map((category) => (
            <li key={category}>
              <a className="chip" href={category === 'All' ? href('shop') : href('shop', {}, { category })}>
                {category}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </div>
  )
}

export { NotFoundPage as Page }
