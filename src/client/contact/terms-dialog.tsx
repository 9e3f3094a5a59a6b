import { Dialog } from '#client/ui/dialog.tsx'
import type { ContactTexts } from '#shared/content/content.ts'
import { DeliveryAndReturns } from './delivery-and-returns.tsx'

export function TermsDialog({ texts, onClose }: { texts: ContactTexts; onClose: () => void }) {
  return (
    <Dialog title="Delivery and returns" onClose={onClose}>
      <DeliveryAndReturns {...texts} heading="h3" />
    </Dialog>
  )
}
