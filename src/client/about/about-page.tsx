import { useAtomValue } from 'jotai'
import { bootAtom } from '#client/app/boot.ts'
import { loadContent, withContent } from '#client/app/fetch-content.ts'
import type { PageLocation, PageProps } from '#client/app/router/page.ts'
import { WithData } from '#client/app/router/page-data.tsx'
import { RichText } from '#client/content/rich-text.tsx'
import { createIdleSection } from '#client/ui/idle-section.tsx'
import { Picture } from '#client/ui/picture.tsx'
import { Stats } from '#client/ui/stats.tsx'
import { STORY_PICTURE_SIZE } from '#shared/catalogue/pictures.ts'
import { type AboutView, createAboutView } from '#shared/content/content.ts'

const COLLECTION_CARDS = [
  {
    title: 'Kids: Adaptive Clothing',
    text: 'Cuffs that unroll, hems you can let down and buttons that small hands can manage.',
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
    text: 'Warm lights and quiet cot mobiles that help little ones fall asleep.',
    image: 'story-tech',
  },
]

const visionaryStats = [
  { value: '100k+', label: 'Happy Families' },
  { value: '54%', label: 'Recycled Materials' },
  { value: '12', label: 'Design Awards' },
]

const { Section: SizesAndPrivacy, fetchSection: fetchSizesAndPrivacy } = createIdleSection(() =>
  import('./sizes-and-privacy.tsx').then((module) => module.SizesAndPrivacy),
)

function AboutPage({ data }: PageProps<'about'>) {
  return (
    <WithData source={data} fallback={null}>
      {(texts) => <AboutContent texts={texts} />}
    </WithData>
  )
}

function AboutContent({ texts }: { texts: AboutView }) {
  const { savesData } = useAtomValue(bootAtom)
  const { story, philosophy } = texts
  return (
    <>
      <header className="story-hero page">
        <p className="eyebrow">Our story</p>
        <h1>Crafting Childhood Memories</h1>
        <p className="lead">Where Quality Meets Playful Design</p>
      </header>

      {story.length > 0 && (
        <div className="story-text page stack">
          <RichText text={story} />
        </div>
      )}

      <section className="story-belief" aria-labelledby="philosophy">
        <div className="story-belief__text page stack">
          <h2 id="philosophy">Our philosophy</h2>
          <RichText text={philosophy} />
        </div>
      </section>

      <section className="page" aria-labelledby="made">
        <h2 id="made">What we make</h2>
        <ul className="story-cards">
          {COLLECTION_CARDS.map(({ title, text, image }) => (
            <li key={title} className="story-card">
              <Picture
                image={`/images/${image}.svg`}
                size={STORY_PICTURE_SIZE}
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
      <SizesAndPrivacy {...texts} />
    </>
  )
}

export { AboutPage as Page }

export function prefetch() {
  return Promise.all([fetchSizesAndPrivacy(), loadContent()])
}

/** If the hash names a section that loads later, waits for it, so that the router can scroll there. */
export function load({ hash }: PageLocation): AboutView | Promise<AboutView> {
  return withContent((content) => {
    const view = createAboutView(content)
    return hash ? fetchSizesAndPrivacy().then(() => view) : view
  })
}
