/** Labels of the product form, by the field names of `Items.json`. */
const FIELD_LABELS: Record<string, string> = {
  title: 'Name',
  description: 'Description',
  price: 'Price',
  category: 'Category',
  image: 'Photo',
  images: 'Photos',
  rating: 'Rating',
  'rating.rate': 'Rating',
  scale: 'Size type',
  sizes: 'Sizes',
}
const NESTED_LABELS: Record<string, string> = {
  'images.image': 'link',
  'images.alt': 'description',
  'sizes.id': 'number',
  'sizes.label': 'name',
  'sizes.price': 'price',
}

/** A field of a catalogue issue in the words of the form: `images.0.alt` is `Photo 1 description`. */
export function fieldLabel(path: string): string {
  const [list = '', index, field] = path.split('.')
  const nested = NESTED_LABELS[`${list}.${field}`]
  if (nested) return `${list === 'images' ? 'Photo' : 'Size'} ${Number(index) + 1} ${nested}`
  return FIELD_LABELS[path] ?? path
}

const EDITED_FIELD_LABELS: Record<string, string> = {
  title: 'name',
  images: 'photos',
  pictures: 'photos',
  rate: 'rating',
  scale: 'size type',
  shown: 'visible',
}

/** A field of an edited product in the words of the form: `title` is `name`. */
export function editedFieldLabel(field: string): string {
  return EDITED_FIELD_LABELS[field] ?? field
}

const PROBLEMS: Record<string, string> = {
  'must be a path of this site or an https address': 'is missing, or its link is invalid',
  'must be of type number': 'must be a number',
  'must be of type string': 'is missing',
  'must be of type array': 'must be a list',
  'must be of type object': 'is missing',
}

/** The problem of a catalogue issue, to follow its {@link fieldLabel}. */
export function describeProblem(problem: string): string {
  return PROBLEMS[problem] ?? problem
}
