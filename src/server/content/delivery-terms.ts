import type { ServiceContext } from '#server/context.ts'
import type { DeliveryTerms } from '#shared/checkout/delivery.ts'
import type { ContentSource } from './content-source.ts'

type PublishedTerms = Pick<ServiceContext, 'delivery'> & { content: Pick<ContentSource, 'current'> }

export function getDeliveryTerms({ delivery, content }: PublishedTerms): DeliveryTerms {
  const { cash, deliveryTime } = content.current()
  return {
    ...delivery,
    ...(deliveryTime && { time: deliveryTime.replace(/\.$/, '') }),
    ...(cash && { cash }),
  }
}
