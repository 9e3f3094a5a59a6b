import type { Page } from 'playwright-core'

export const listHorizontalOverflow = (page: Page) =>
  page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth <= clientWidth) return []
    return Array.from(document.querySelectorAll('#root *'))
      .filter((element) => element.getBoundingClientRect().right > clientWidth + 1)
      .map((element) => `${element.tagName} .${element.className}`)
      .concat(`${scrollWidth} of ${clientWidth}`)
  })

export const listSmallTargets = (page: Page) =>
  page.evaluate(() => {
    const targets = document.querySelectorAll<HTMLElement>(
      'a[href], button, input:not([type=hidden]), select, textarea',
    )
    return Array.from(targets)
      .filter(
        (target) => target.checkVisibility() && target.tabIndex >= 0 && !target.matches('.skip-link, p a'),
      )
      .map((target) => ({ target, box: target.getBoundingClientRect() }))
      .filter(({ box }) => box.width < 43.5 || box.height < 43.5)
      .map(({ target, box }) => `${target.outerHTML.slice(0, 90)}: ${box.width} × ${box.height}`)
  })

/** Applies the text spacing of WCAG 1.4.12. */
export const applyTextSpacing = (page: Page) =>
  page.evaluate(() => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(
      `* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }
       p { margin-block-end: 2em !important }`,
    )
    document.adoptedStyleSheets.push(sheet)
  })

export const listClippedText = (page: Page) =>
  page.evaluate(() =>
    Array.from(
      document.querySelectorAll<HTMLElement>(
        '#root a, #root button, #root label, #root h1, #root h2, #root p',
      ),
    )
      .filter((element) => element.checkVisibility() && !element.closest('.visually-hidden'))
      .filter((element) => {
        const { overflowX, textOverflow } = getComputedStyle(element)
        const isTooWide = element.scrollWidth > element.clientWidth + 1
        return isTooWide && overflowX !== 'visible' && textOverflow !== 'ellipsis' && element.clientWidth > 0
      })
      .map((element) => element.outerHTML.slice(0, 90)),
  )

/** Excludes the splash, whose animation only measures time. */
export const listAnimations = (page: Page) =>
  page.evaluate(() =>
    document
      .getAnimations()
      .map(({ effect, id }) => (effect instanceof KeyframeEffect ? String(effect.target?.className) : id))
      .filter((target) => target !== 'splash'),
  )
