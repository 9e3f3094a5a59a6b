import { SizeGuides } from '../../ui/size-guide.tsx'

/** The size guides of all scales, where the product pages' links to a guide lead without scripts. */
export function Sizes() {
  return (
    <section id="sizes" className="page page--last" aria-labelledby="size-guide">
      <h2 id="size-guide">Size guide</h2>
      <div id="size-guide-mother-and-child" className="story-sizes__guides">
        <SizeGuides />
      </div>
    </section>
  )
}
