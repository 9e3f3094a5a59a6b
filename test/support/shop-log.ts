/** The name of the served shop's log, which is in the state folder. */
export const SHOP_LOG = 'shop.log'
