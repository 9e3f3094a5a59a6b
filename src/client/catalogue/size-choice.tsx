import { useAtomValue, useSetAtom } from 'jotai'
import { type ComponentType, type MouseEvent, useEffect, useRef, useState } from 'react'
import { savesData } from '#client/app/boot.ts'
import { loadCatalogue } from '#client/app/fetch-catalogue.ts'
import { navigate, replaceAddressAtom, viewAtom } from '#client/app/router/page.ts'
import { selectedSizesAtom } from '#client/cart/add-to-cart.ts'
import {
  type Product,
  parseProductId,
  type Scale,
  type Size,
  type UnitsLeft,
} from '#shared/catalogue/catalogue.ts'
import { type Item, type ItemChoice, selectedItem } from '#shared/catalogue/items.ts'
import { formatKsh } from '#shared/format.ts'
import { href } from '#shared/routes.ts'

/** The item that a product's page shows, and whether its size was chosen: by the address, or the last time on its scale. */
export function useSelectedItem(product: Product, left: UnitsLeft | undefined): ItemChoice {
  const params = useAtomValue(viewAtom)?.location.params
  const chosenSizes = useAtomValue(selectedSizesAtom)
  const label = product.sizing && chosenSizes?.[product.sizing.scale]
  return selectedItem(product, { id: parseProductId(params?.id ?? ''), label, left })
}

type SizeChoiceProps = {
  sizing: NonNullable<Product['sizing']>
  /** Undefined while the shopper has chosen none. */
  chosen: Item | undefined
  left: UnitsLeft | undefined
}

/** A product's sizes as radio buttons, the chosen one in the address; without scripts they are links. */
export function SizeChoice({ sizing: { scale, sizes }, chosen, left = {} }: SizeChoiceProps) {
  const setChosenSizes = useSetAtom(selectedSizesAtom)
  const replaceAddress = useSetAtom(replaceAddressAtom)
  const [isAnnounced, setIsAnnounced] = useState(false)
  const fieldset = useRef<HTMLFieldSetElement>(null)
  const textOf = ({ id, label }: Size) => (left[id] === 0 ? `${label}, sold out` : label)

  function choose({ id, label }: Size) {
    setIsAnnounced(true)
    setChosenSizes((now) => ({ ...now, [scale]: label }))
    replaceAddress(href('product', { id }))
    // Cards of this scale add this size from now on, for which they need the catalogue.
    if (!savesData()) void Promise.resolve(loadCatalogue()).catch(() => {})
  }

  // Once, on hydration: a size may have been chosen before.
  // biome-ignore lint/correctness/useExhaustiveDependencies: not again for each render
  useEffect(() => {
    const checked = fieldset.current?.querySelector<HTMLInputElement>(':checked')
    const size = sizes.find(({ id }) => String(id) === checked?.value)
    if (size && size.id !== chosen?.id) choose(size)
  }, [])

  return (
    <fieldset ref={fieldset} className="sizes">
      <legend>Size</legend>
      <SizeGuideLink scale={scale} />
      <div className="only-hydrating">
        <div className="sizes__options">
          {sizes.map((size) => (
            <label key={size.id} className="chip">
              <input
                type="radio"
                name="size"
                value={size.id}
                autoComplete="off"
                checked={size.id === chosen?.id}
                // A click on the size that is shown already chooses it, too.
                onClick={() => choose(size)}
                onChange={() => choose(size)}
              />
              {left[size.id] === 0 ? <s>{size.label}</s> : size.label}
              {left[size.id] === 0 && <small>Sold out</small>}
            </label>
          ))}
        </div>
      </div>
      <noscript>
        <ul className="sizes__options">
          {sizes.map((size) => (
            <li key={size.id}>
              <a
                className="chip"
                href={href('product', { id: size.id })}
                aria-current={size.id === chosen?.id ? 'true' : undefined}
              >
                {textOf(size)}
              </a>
            </li>
          ))}
        </ul>
      </noscript>
      <p className="visually-hidden" role="status">
        {isAnnounced &&
          chosen &&
          `Size ${chosen.size}: ${left[chosen.id] === 0 ? 'sold out' : formatKsh(chosen.price)}`}
      </p>
    </fieldset>
  )
}

type GuideDialog = ComponentType<{ scale: Scale; onClose: () => void }>

/** Opens a scale's size guide in a dialog, whose code is fetched then; without scripts a link to the guide on the Story page. */
function SizeGuideLink({ scale }: { scale: Scale }) {
  const [Guide, setGuide] = useState<GuideDialog>()
  const address = `${href('about')}#size-guide-${scale}`

  async function open(event: MouseEvent) {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    const guide = await import('./size-guide.tsx').catch(() => undefined)
    if (guide) setGuide(() => guide.SizeGuideDialog)
    else navigate(address)
  }

  return (
    <>
      <a className="sizes__guide" href={address} onClick={open}>
        Size guide
      </a>
      {Guide && <Guide scale={scale} onClose={() => setGuide(undefined)} />}
    </>
  )
}
