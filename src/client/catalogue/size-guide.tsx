import { Dialog } from '#client/ui/dialog.tsx'
import { CHILD_SHOE_AGES, HAT_AGES } from '#shared/catalogue/ages.ts'
import type { Size, SizeScale } from '#shared/catalogue/catalogue.ts'
import { splitSizeLabel } from '#shared/catalogue/sizes.ts'

type Guide = {
  title: string
  instructions: string
  columns: readonly string[]
  rows: readonly (readonly string[])[]
}

export const sizeGuides: Record<Exclude<SizeScale, 'mother-and-child'>, Guide> = {
  age: {
    title: 'Children’s clothes',
    instructions:
      'Measure height without shoes, with heels against a wall. Measure the chest under the arms, at its widest point. If your child is between two sizes, choose the larger one so they can grow into it.',
    columns: ['Size', 'Height, cm', 'Chest, cm', 'Weight, kg'],
    rows: [
      ['0–3 months', '50–62', '38–43', '3–6'],
      ['3–6 months', '62–68', '43–45', '6–8'],
      ['6–12 months', '68–80', '45–48', '8–10'],
      ['12–18 months', '80–86', '48–51', '10–12'],
      ['18–24 months', '86–92', '51–53', '12–13'],
      ['2–3 years', '92–104', '53–56', '13–16'],
      ['4–5 years', '104–116', '56–60', '16–20'],
      ['6–7 years', '116–128', '60–64', '20–25'],
      ['8–9 years', '128–140', '64–69', '25–31'],
    ],
  },
  'child-shoe': {
    title: 'Children’s shoes',
    instructions:
      'In the evening, stand your child on a sheet of paper, mark the heel and the longest toe, and measure between the marks. The table gives the foot length; the shoes already allow room to grow. If the feet differ, use the longer one.',
    columns: ['Size', 'Foot, cm', 'Age'],
    rows: [
      ['EU 17', '9.8'],
      ['EU 18', '10.5'],
      ['EU 19', '11.2'],
      ['EU 20', '11.8'],
      ['EU 21', '12.5'],
      ['EU 22', '13.2'],
      ['EU 23', '13.8'],
      ['EU 24', '14.5'],
      ['EU 25', '15.2'],
      ['EU 26', '15.8'],
      ['EU 28', '17.2'],
      ['EU 30', '18.5'],
      ['EU 32', '19.8'],
    ].map(([size = '', length = '']) => [size, length, CHILD_SHOE_AGES[size] ?? '']),
  },
  shoe: {
    title: 'Women’s shoes',
    instructions:
      'In the evening, stand on a sheet of paper, mark the heel and the longest toe, and measure between the marks. If your feet differ, use the longer one. If you’re between two sizes, choose the larger one.',
    columns: ['Size', 'Foot, cm', 'UK'],
    rows: [
      ['EU 36', '22.5', '3½'],
      ['EU 37', '23.2', '4'],
      ['EU 38', '23.8', '5'],
      ['EU 39', '24.5', '6'],
      ['EU 40', '25.2', '6½'],
      ['EU 41', '25.8', '7½'],
      ['EU 42', '26.5', '8'],
    ],
  },
  clothing: {
    title: 'Women’s clothes',
    instructions:
      'Measure over underwear: bust and hips at the widest point, waist at the narrowest. Keep the tape level and not too tight.',
    columns: ['Size', 'UK', 'Bust, cm', 'Waist, cm', 'Hips, cm'],
    rows: [
      ['S', '8–10', '83–90', '65–72', '90–97'],
      ['M', '12–14', '91–98', '73–80', '98–105'],
      ['L', '16–18', '99–108', '81–90', '106–115'],
      ['XL', '20', '109–114', '91–96', '116–121'],
      ['XXL', '22', '115–120', '97–102', '122–127'],
    ],
  },
  head: {
    title: 'Hats',
    instructions: 'Measure around the head, a finger’s width above the eyebrows and ears.',
    columns: ['Size', 'Age'],
    rows: Object.entries(HAT_AGES),
  },
}

export function SizeGuides() {
  return Object.entries(sizeGuides).map(([scale, guide]) => (
    <section key={scale} id={`size-guide-${scale}`} className="stack stack--s" aria-label={guide.title}>
      <p className="heading-s">{guide.title}</p>
      <SizeGuide guide={guide} />
    </section>
  ))
}

export type SizeSelection = {
  sizes: readonly Size[]
  selected: string | undefined
  select: (size: Size) => void
}

type SizeGuideProps = { guide: Guide; selection?: SizeSelection }

function SizeGuide({ guide: { title, instructions, columns, rows }, selection }: SizeGuideProps) {
  const selectedSizes = splitSizeLabel(selection?.selected ?? '')
  return (
    <>
      <p>{instructions}</p>
      <table className="size-table" aria-label={title}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([size = '', ...measures]) => (
            <tr key={size} aria-current={selectedSizes.includes(size) ? 'true' : undefined}>
              <th scope="row">
                <SizeButton label={size} selection={selection} />
              </th>
              {measures.map((measure) => (
                <td key={measure}>{measure}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

function SizeButton({ label, selection }: { label: string; selection: SizeSelection | undefined }) {
  const size = selection?.sizes.find((size) => size.label === label)
  const text = label.replace(' cm', '\u00a0cm')
  if (!selection || !size) return text
  return (
    <button type="button" aria-pressed={selection.selected === label} onClick={() => selection.select(size)}>
      {text}
    </button>
  )
}

type SizeGuideDialogProps = { scale: SizeScale; selection: SizeSelection; onClose: () => void }

export function SizeGuideDialog({ scale, selection: pageSelection, onClose }: SizeGuideDialogProps) {
  function select(size: Size) {
    pageSelection.select(size)
    onClose()
  }
  const selection = { ...pageSelection, select }
  if (scale !== 'mother-and-child') {
    const guide = sizeGuides[scale]
    return (
      <Dialog title={`Size guide: ${guide.title.toLowerCase()}`} onClose={onClose}>
        <SizeGuide guide={guide} selection={selection} />
      </Dialog>
    )
  }
  return (
    <Dialog title="Size guide: mother and child" onClose={onClose}>
      <p>Letters show the mother’s size; years show the child’s age.</p>
      {[sizeGuides.clothing, sizeGuides.age].map((guide) => (
        <section key={guide.title} className="stack stack--s" aria-label={guide.title}>
          <h3>{guide.title}</h3>
          <SizeGuide guide={guide} selection={selection} />
        </section>
      ))}
    </Dialog>
  )
}
