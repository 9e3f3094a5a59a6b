import type { Scale } from '#shared/rules/catalogue.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { SizeGuide, sizeGuides } from '../../ui/size-guide.tsx'

/** A scale's size guide in a dialog. */
export function SizeGuideDialog({ scale, onClose }: { scale: Scale; onClose: () => void }) {
  if (scale !== 'mother-and-child') {
    const guide = sizeGuides[scale]
    return (
      <Dialog title={guide.title} onClose={onClose}>
        <SizeGuide guide={guide} />
      </Dialog>
    )
  }
  return (
    <Dialog title="Mother and child" onClose={onClose}>
      <p>The letters are the mother’s size, the years the child’s.</p>
      {[sizeGuides.clothing, sizeGuides.age].map((guide) => (
        <section key={guide.title} className="stack stack--s" aria-label={guide.title}>
          <h3>{guide.title}</h3>
          <SizeGuide guide={guide} />
        </section>
      ))}
    </Dialog>
  )
}
