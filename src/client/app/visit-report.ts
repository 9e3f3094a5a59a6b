import { onCLS, onINP, onLCP } from 'web-vitals'
import type { VisitReport } from '#shared/reports/contract.ts'

/** `hydration` is in milliseconds. The report contains no personal data and is sent without cookies. */
export function reportVisit(page: VisitReport['page'], hydration: number | undefined, apiBase: string): void {
  const report: VisitReport = { page, hydration }
  onLCP(({ value }) => {
    report.lcp = value
  })
  onINP(({ value }) => {
    report.inp = value
  })
  onCLS(({ value }) => {
    report.cls = value
  })
  document.addEventListener('visibilitychange', function send() {
    if (document.visibilityState !== 'hidden') return
    document.removeEventListener('visibilitychange', send)
    // The metrics' own listeners run first, so their values are final.
    fetch(`${apiBase}/visits`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(report),
      credentials: 'omit',
      keepalive: true,
    }).catch(() => {})
  })
}
