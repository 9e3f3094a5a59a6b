/** The served shop's log, in the state folder. */
export const SHOP_LOG = 'shop.log'
