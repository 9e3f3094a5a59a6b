import type { PageName } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'

/** Each page's description for search engines and link previews, unless its data has one. */
export const pageDescriptions: Record<PageName, string> = {
  home: shop.description,
  shop: `Browse organic clothing, toys, nursery and feeding things for children and mothers, priced in ${shop.currency}.`,
  product: `A product of ${shop.name}, ${shop.city}.`,
  about: `Crafting childhood memories: how ${shop.name} designs adaptive, sustainable clothing in ${shop.city}.`,
  contact: `Write to ${shop.name}. We answer ${shop.replyPromise}.`,
  cart: 'The things you chose.',
  checkout: 'Billing details and payment.',
  dashboard: 'Your account and your orders.',
  accountDetails: 'Your name, address and phone number.',
  accountPassword: 'Change your password.',
  accountDevices: 'Where you are signed in.',
  accountData: 'Take your data along, or delete your account.',
  login: `Log in to your ${shop.name} account.`,
  register: `Join ${shop.name}: create an account to check out and follow your orders.`,
  forgotPassword: 'Ask for a link to choose a new password.',
  resetPassword: 'Choose a new password for your account.',
  findOrder: 'Ask for the link to the page of your order.',
  order: 'An order, and how far it is.',
  notFound: "The page you're looking for seems to have vanished.",
}
