import { loadContent } from '#client/app/fetch-content.ts'
import { Dialog } from '#client/ui/dialog.tsx'
import type { PageContent } from '#shared/content/content.ts'
import { DeliveryAndReturns } from './delivery-and-returns.tsx'

export function TermsDialog({ content, onClose }: { content: PageContent; onClose: () => void }) {
  return (
    <Dialog title="Delivery and returns" onClose={onClose}>
      <DeliveryAndReturns {...content} heading="h3" />
    </Dialog>
  )
}

export async function loadTermsDialog() {
  return { TermsDialog, content: await loadContent() }
}
