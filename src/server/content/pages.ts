import type { PageLoader } from '#server/platform/pages/page-loader.ts'
import { createAboutView, getContactTexts } from '#shared/content/content.ts'

export const aboutPage: PageLoader<'about'> = (_request, { content }) => ({
  status: 200,
  data: createAboutView(content.current().pages),
})

export const contactPage: PageLoader<'contact'> = (_request, { content }) => ({
  status: 200,
  data: { texts: getContactTexts(content.current().pages), posted: null },
})
