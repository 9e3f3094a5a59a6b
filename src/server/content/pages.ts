import type { PageLoader } from '#server/platform/pages/page-loader.ts'
import { aboutView, contactTexts } from '#shared/content/content.ts'

export const aboutPage: PageLoader<'about'> = (_request, { content }) => ({
  status: 200,
  data: aboutView(content.current().pages),
})

export const contactPage: PageLoader<'contact'> = (_request, { content }) => ({
  status: 200,
  data: { texts: contactTexts(content.current().pages), posted: null },
})
