export const ERROR_SCRIPT = '/@dev-errors.js'

/** Allows the inline styles of Vite's overlay, and adds the script that shows failures to error pages. */
export async function toDevPage(response: Response): Promise<Response> {
  const { status, headers } = response
  const policy = headers.get('Content-Security-Policy')
  if (!policy || !headers.get('Content-Type')?.startsWith('text/html')) return response
  const script = `<script type="module" src="${ERROR_SCRIPT}?request=${headers.get('X-Request-Id')}"></script>`
  const page = new Response(status < 500 ? response.body : (await response.text()) + script, response)
  page.headers.delete('Content-Length')
  page.headers.set('Content-Security-Policy', policy.replace("style-src 'self'", "$& 'unsafe-inline'"))
  return page
}
