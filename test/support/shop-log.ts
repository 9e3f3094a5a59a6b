/** A file in the served shop's state folder. */
export const SHOP_LOG = 'shop.log'
