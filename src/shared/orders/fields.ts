import { COUNTIES, COUNTRIES } from '#shared/checkout/checkout-form.ts'
import { isDeliverableAddress, MAX_EMAIL_CHARACTERS } from '#shared/email.ts'
import {
  findDeliveryPhoneProblem,
  formatLocalPhone,
  normaliseMobile,
  PHONE_EXAMPLE,
} from '#shared/payments/payment.ts'

export type OrderFieldPlace =
  | 'orderPage'
  /** The receipt, and the order page opened through a signed link. */
  | 'orderLink'
  | 'shopperEmail'
  | 'shopEmail'
  | 'office'
  | 'packingSlip'
  | 'dataExport'

type OrderFieldDefinition = {
  label: string
  /** The label of a field that is displayed on its own, not as part of the name, address or phone. */
  heading?: string
  /** The error message for an empty field (§ 5). A field without one is optional. */
  required?: string
  maxCharacters?: number
  problem?: (text: string) => string | undefined
  choice?: { options: readonly string[]; prompt: string }
  /** The text of the link that reveals the field at checkout. */
  disclosure?: string
  /** The rows of a textarea. Other fields are single-line inputs or selects. */
  rows?: number
  input: {
    autoComplete: string
    type?: 'email' | 'tel'
    inputMode?: 'email' | 'numeric' | 'tel'
    placeholder?: string
    note?: string
    isWide?: boolean
  }
  shownIn: readonly OrderFieldPlace[]
  onAccountDeletion: 'erase' | 'keep'
  isRemembered?: boolean
}

const ALL_FIELD_PLACES = [
  'orderPage',
  'orderLink',
  'shopperEmail',
  'shopEmail',
  'office',
  'packingSlip',
  'dataExport',
] as const satisfies readonly OrderFieldPlace[]

export const ORDER_FIELD_DEFINITIONS = {
  firstName: {
    label: 'First name',
    required: 'First name is required',
    maxCharacters: 80,
    input: { autoComplete: 'given-name' },
    shownIn: ALL_FIELD_PLACES,
    onAccountDeletion: 'erase',
    isRemembered: true,
  },
  lastName: {
    label: 'Last name',
    required: 'Last name is required',
    maxCharacters: 80,
    input: { autoComplete: 'family-name' },
    shownIn: ALL_FIELD_PLACES,
    onAccountDeletion: 'erase',
    isRemembered: true,
  },
  email: {
    label: 'Email',
    required: 'Email is required',
    maxCharacters: MAX_EMAIL_CHARACTERS,
    problem: (text) => (isDeliverableAddress(text) ? undefined : 'Please enter a valid email address'),
    input: { autoComplete: 'email', type: 'email', inputMode: 'email', isWide: true },
    shownIn: ['orderPage', 'shopEmail', 'office', 'dataExport'],
    onAccountDeletion: 'erase',
  },
  address: {
    label: 'Address',
    required: 'Address is required',
    maxCharacters: 200,
    input: { autoComplete: 'address-line1', isWide: true },
    shownIn: ALL_FIELD_PLACES,
    onAccountDeletion: 'erase',
    isRemembered: true,
  },
  address2: {
    label: 'Address 2 (optional)',
    maxCharacters: 200,
    input: { autoComplete: 'address-line2', isWide: true },
    shownIn: ALL_FIELD_PLACES,
    onAccountDeletion: 'erase',
    isRemembered: true,
  },
  landmark: {
    label: 'Landmark (optional)',
    maxCharacters: 120,
    input: { autoComplete: 'off', placeholder: 'For example, opposite the bank', isWide: true },
    shownIn: ALL_FIELD_PLACES,
    onAccountDeletion: 'erase',
    isRemembered: true,
  },
  country: {
    label: 'Country',
    required: 'Please select a country',
    choice: { options: COUNTRIES, prompt: 'Select a country' },
    input: { autoComplete: 'country-name' },
    shownIn: ALL_FIELD_PLACES,
    onAccountDeletion: 'keep',
    isRemembered: true,
  },
  state: {
    label: 'County',
    required: 'Please select a county',
    choice: { options: COUNTIES, prompt: 'Select a county' },
    input: { autoComplete: 'address-level1' },
    shownIn: ALL_FIELD_PLACES,
    onAccountDeletion: 'keep',
    isRemembered: true,
  },
  zip: {
    label: 'Zip code',
    required: 'Zip code is required',
    maxCharacters: 16,
    input: {
      autoComplete: 'postal-code',
      inputMode: 'numeric',
      placeholder: 'For example, 00100 (Nairobi)',
    },
    shownIn: ALL_FIELD_PLACES,
    onAccountDeletion: 'erase',
    isRemembered: true,
  },
  phone: {
    label: 'Phone (optional, for the rider)',
    problem: findDeliveryPhoneProblem,
    input: { autoComplete: 'tel', type: 'tel', inputMode: 'tel', note: PHONE_EXAMPLE },
    shownIn: ['orderPage', 'shopEmail', 'office', 'packingSlip', 'dataExport'],
    onAccountDeletion: 'erase',
    isRemembered: true,
  },
  giftNote: {
    label: 'Gift note (optional)',
    heading: 'Gift note',
    disclosure: 'Add a gift note',
    maxCharacters: 200,
    rows: 3,
    input: { autoComplete: 'off', note: 'We’ll print it on a card (up to 200 characters).', isWide: true },
    shownIn: ['orderPage', 'shopEmail', 'office', 'packingSlip', 'dataExport'],
    onAccountDeletion: 'erase',
  },
  kraPin: {
    label: 'KRA PIN (optional)',
    heading: 'KRA PIN',
    disclosure: 'Add a KRA PIN',
    problem: findKraPinProblem,
    input: { autoComplete: 'off', note: 'We’ll print it on your invoice.' },
    shownIn: ['orderPage', 'orderLink', 'shopperEmail', 'office', 'dataExport'],
    onAccountDeletion: 'erase',
  },
} as const satisfies Record<string, OrderFieldDefinition>

/** The PINs of people start with A, those of companies with P. */
export function findKraPinProblem(text: string): string | undefined {
  return /^[AP]\d{9}[A-Z]$/i.test(text.trim())
    ? undefined
    : 'Please enter a valid KRA PIN, for example A123456789Z'
}

type OrderFieldDefinitions = typeof ORDER_FIELD_DEFINITIONS
export type OrderField = keyof OrderFieldDefinitions
type FieldsWith<Property> = {
  [F in OrderField]: OrderFieldDefinitions[F] extends Property ? F : never
}[OrderField]
export type RequiredOrderField = FieldsWith<{ required: string }>
export type OptionalOrderField = Exclude<OrderField, RequiredOrderField>
export type RememberedOrderField = FieldsWith<{ isRemembered: true }>

export type StoredOrderFields = Record<RequiredOrderField, string> & Record<OptionalOrderField, string | null>

export const ORDER_FIELDS = Object.keys(ORDER_FIELD_DEFINITIONS) as OrderField[]
export const REMEMBERED_ORDER_FIELDS = ORDER_FIELDS.filter(
  (field): field is RememberedOrderField => getOrderFieldDefinition(field).isRemembered === true,
)

/** All fields except the email, because the owner of that address has access to the order. */
export const EDITABLE_FIELDS = ORDER_FIELDS.filter((field) => field !== 'email')
export type EditableField = Exclude<OrderField, 'email'>

export function getOrderFieldDefinition(field: OrderField): OrderFieldDefinition {
  return ORDER_FIELD_DEFINITIONS[field]
}

/** Returns the label without what is in brackets, such as `(optional)`. */
export function getShortLabel(field: OrderField): string {
  return getOrderFieldDefinition(field).label.replace(/ \(.*/, '')
}

export function isOptional(field: OrderField): field is OptionalOrderField {
  return getOrderFieldDefinition(field).required === undefined
}

export function findOrderFieldProblem(field: OrderField, value: string): string | undefined {
  const {
    required,
    maxCharacters = Number.POSITIVE_INFINITY,
    choice,
    problem,
  } = getOrderFieldDefinition(field)
  const text = value.trim()
  if (text === '') return required
  if (choice) return choice.options.includes(text) ? undefined : required
  if (Array.from(text).length > maxCharacters) return `Please use at most ${maxCharacters} characters`
  return problem?.(text)
}

export function getStoredOrderFields(
  input: Record<RequiredOrderField, string> & Partial<Record<OptionalOrderField, string | undefined>>,
): StoredOrderFields {
  return mapOrderFields((field) => input[field] || (isOptional(field) ? null : ''))
}

export function getErasedOrderFields(): Partial<StoredOrderFields> {
  const erased = ORDER_FIELDS.filter((field) => getOrderFieldDefinition(field).onAccountDeletion === 'erase')
  return Object.fromEntries(erased.map((field) => [field, isOptional(field) ? null : '']))
}

function mapOrderFields(toValue: (field: OrderField) => string | null): StoredOrderFields {
  return Object.fromEntries(ORDER_FIELDS.map((field) => [field, toValue(field)])) as StoredOrderFields
}

const NAME_FIELDS = ['firstName', 'lastName'] as const
const ADDRESS_FIELDS = [['address'], ['address2'], ['landmark'], ['zip', 'state'], ['country']] as const

export type OrderExtra = { heading: string; text: string }
export type VisibleFields = { name: string; address: string[]; phone: string; extras: OrderExtra[] }

export function getVisibleFields(order: StoredOrderFields, place: OrderFieldPlace): VisibleFields {
  const joinFields = (fields: readonly OrderField[]) =>
    fields
      .filter((field) => getOrderFieldDefinition(field).shownIn.includes(place))
      .map((field) => formatField(field, order[field]?.trim() ?? ''))
      .filter(Boolean)
      .join(' ')
  return {
    name: joinFields(NAME_FIELDS),
    address: ADDRESS_FIELDS.map(joinFields).filter(Boolean),
    phone: joinFields(['phone']),
    extras: ORDER_FIELDS.flatMap((field) => {
      const { heading } = getOrderFieldDefinition(field)
      const text = heading ? joinFields([field]) : ''
      return heading && text ? [{ heading, text }] : []
    }),
  }
}

function formatField(field: OrderField, text: string): string {
  if (field === 'kraPin') return text.toUpperCase()
  return field === 'phone' ? formatLocalPhone(normaliseMobile(text) ?? text) : text
}
