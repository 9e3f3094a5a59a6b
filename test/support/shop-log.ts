/** The file in the state folder that holds what the served shop has printed. */
export const SHOP_LOG = 'shop.log'
