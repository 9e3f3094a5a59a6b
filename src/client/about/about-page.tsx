import { useAtomValue } from 'jotai'
import { bootAtom } from '#client/app/boot.ts'
import type { PageLocation } from '#client/app/router/page.ts'
import { idleSection } from '#client/ui/idle-section.tsx'
import { Picture } from '#client/ui/picture.tsx'
import { Stats } from '#client/ui/stats.tsx'
import { STORY } from '#shared/catalogue/pictures.ts'
import { shop } from '#shared/shop.ts'

const cards = [
  {
    title: 'Kids: Adaptive Clothing',
    text: 'Cuffs that unroll, hems that let down and buttons that small hands can manage.',
    image: 'story-kids',
  },
  {
    title: 'Women: Mom & Me Collections',
    text: 'The same cloth in two sizes, cut for long days and for feeding on the go.',
    image: 'story-women',
  },
  {
    title: 'Jewelry: Child-Safe Accessories',
    text: 'Wooden beads and soft cord, with no small parts and nothing that rusts.',
    image: 'story-jewelry',
  },
  {
    title: 'Tech: Smart Nursery',
    text: 'Warm lights and quiet mobiles that help a room fall asleep.',
    image: 'story-tech',
  },
]

const visionaryStats = [
  { value: '100k+', label: 'Happy Families' },
  { value: '54%', label: 'Recycled Materials' },
  { value: '12', label: 'Design Awards' },
]

const { Section: SizesAndPrivacy, fetchSection: fetchSections } = idleSection(() =>
  import('./sizes-and-privacy.tsx').then((module) => module.SizesAndPrivacy),
)

function AboutPage() {
  const { savesData } = useAtomValue(bootAtom)
  return (
    <>
      <header className="story-hero page">
        <p className="eyebrow">Our story</p>
        <h1>Crafting Childhood Memories</h1>
        <p className="lead">Where Quality Meets Playful Design</p>
      </header>

      <section className="story-belief" aria-labelledby="philosophy">
        <div className="story-belief__text page stack">
          <h2 id="philosophy">Our philosophy</h2>
          <p>
            {`A favourite dress is climbed in, slept in, washed on Sunday and handed down to a cousin. So we start with the cloth: organic cotton, kikoi and kitenge, woven and dyed close to ${shop.city} by people we know by name.`}
          </p>
          <p>
            We cut for movement, sew every seam twice and leave room to grow. What wears thin can be mended,
            and what is outgrown is still good enough to give away.
          </p>
        </div>
      </section>

      <section className="page" aria-labelledby="made">
        <h2 id="made">What we make</h2>
        <ul className="story-cards">
          {cards.map(({ title, text, image }) => (
            <li key={title} className="story-card">
              <Picture
                image={`/images/${image}.svg`}
                size={STORY}
                savesData={savesData}
                width="400"
                height="300"
                loading="lazy"
              />
              <div className="story-card__text stack stack--s">
                <h3>{title}</h3>
                <p>{text}</p>
              </div>
            </li>
          ))}
        </ul>
      </section>

      <section className="page page--last" aria-labelledby="visionaries">
        <div className="visionaries">
          <h2 id="visionaries">2025 Visionaries</h2>
          <Stats stats={visionaryStats} />
        </div>
      </section>
      <SizesAndPrivacy />
    </>
  )
}

export { AboutPage as Page, fetchSections, fetchSections as prefetch }

/** A hash may name a lazy section, which must load first. */
export function load({ hash }: PageLocation): Promise<null> | null {
  return hash ? fetchSections() : null
}
