import { atom, type Getter, useAtomValue, useSetAtom } from 'jotai'
import { type ComponentType, type MouseEvent, useEffect, useMemo, useRef, useState } from 'react'
import { savesData } from '#client/app/boot.ts'
import { loadCatalogue } from '#client/app/fetch-catalogue.ts'
import { navigate, replaceUrlAtom, viewAtom } from '#client/app/router/page.ts'
import { selectedSizesAtom, selectSizeAtom } from '#client/cart/add-to-cart.ts'
import {
  type Product,
  parseProductId,
  type Size,
  type SizeScale,
  type UnitsLeft,
} from '#shared/catalogue/catalogue.ts'
import { getSelectedItem, type Item, type ItemChoice } from '#shared/catalogue/items.ts'
import { formatKsh } from '#shared/format.ts'
import { href } from '#shared/routes.ts'
import type { SizeSelection } from './size-guide.tsx'

function readSelectedItem(get: Getter, product: Product, left: UnitsLeft | undefined): ItemChoice {
  const params = get(viewAtom)?.location.params
  const label = product.sizing && get(selectedSizesAtom)?.[product.sizing.scale]
  return getSelectedItem(product, { id: parseProductId(params?.id ?? ''), label, left })
}

export function useSelectedItem(product: Product, left: UnitsLeft | undefined): ItemChoice {
  return useAtomValue(useMemo(() => atom((get) => readSelectedItem(get, product, left)), [product, left]))
}

/** Reads the current state, because early clicks are repeated before the size they select has rendered. */
export const getSelectedItemAtom = atom(null, (get, _set, ...of: [Product, UnitsLeft | undefined]) =>
  readSelectedItem(get, ...of),
)

export const SIZES_ID = 'sizes'

type SizeChoiceProps = {
  sizing: NonNullable<Product['sizing']>
  selected: Item | undefined
  left: UnitsLeft | undefined
}

export function SizeChoice({ sizing: { scale, sizes }, selected, left = {} }: SizeChoiceProps) {
  const last = useAtomValue(selectedSizesAtom)?.[scale]
  const rememberSize = useSetAtom(selectSizeAtom)
  const replaceUrl = useSetAtom(replaceUrlAtom)
  const [isAnnounced, setIsAnnounced] = useState(false)
  const fieldsetRef = useRef<HTMLFieldSetElement>(null)
  const renderLabel = ({ id, label }: Size) =>
    left[id] === 0 ? (
      <>
        <s>{label}</s>
        <small>Sold out</small>
      </>
    ) : (
      label
    )

  function select({ id, label }: Size) {
    setIsAnnounced(true)
    rememberSize(scale, label)
    replaceUrl(href('product', { id }))
    // Cards of this scale now add this size, for which they need the catalogue.
    if (!savesData()) void Promise.resolve(loadCatalogue()).catch(() => {})
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, on hydration
  useEffect(() => {
    const checked = fieldsetRef.current?.querySelector<HTMLInputElement>(':checked')
    const size = sizes.find(({ id }) => String(id) === checked?.value)
    if (size && size.id !== selected?.id) select(size)
  }, [])

  return (
    <fieldset ref={fieldsetRef} id={SIZES_ID} className="sizes">
      <legend>
        Size
        {selected && (
          <span>{`: ${selected.size}${selected.size === last && !isAnnounced ? ' (preselected)' : ''}`}</span>
        )}
      </legend>
      <SizeGuideLink scale={scale} selection={{ sizes, selected: selected?.size, select }} />
      <div className="only-hydrating">
        <div className="sizes__options">
          {sizes.map((size) => (
            <label key={size.id} className="chip">
              <input
                type="radio"
                name="size"
                value={size.id}
                autoComplete="off"
                checked={size.id === selected?.id}
                // `change` doesn't fire for the size that is already checked.
                onClick={() => select(size)}
                onChange={() => select(size)}
              />
              {renderLabel(size)}
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
                aria-current={size.id === selected?.id ? 'true' : undefined}
              >
                {renderLabel(size)}
              </a>
            </li>
          ))}
        </ul>
      </noscript>
      <p className="visually-hidden" role="status">
        {isAnnounced &&
          selected &&
          `Size ${selected.size}: ${left[selected.id] === 0 ? 'sold out' : formatKsh(selected.price)}`}
      </p>
    </fieldset>
  )
}

type SizeGuideLinkProps = { scale: SizeScale; selection: SizeSelection }
type GuideDialog = ComponentType<SizeGuideLinkProps & { onClose: () => void }>

function SizeGuideLink({ scale, selection }: SizeGuideLinkProps) {
  const [Guide, setGuide] = useState<GuideDialog>()
  const guideUrl = `${href('about')}#size-guide-${scale}`

  async function open(event: MouseEvent) {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    const guide = await import('./size-guide.tsx').catch(() => undefined)
    if (guide) setGuide(() => guide.SizeGuideDialog)
    else navigate(guideUrl)
  }

  return (
    <>
      <a className="sizes__guide" href={guideUrl} onClick={open}>
        Size guide
      </a>
      {Guide && <Guide scale={scale} selection={selection} onClose={() => setGuide(undefined)} />}
    </>
  )
}
