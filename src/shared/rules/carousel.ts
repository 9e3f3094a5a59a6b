/** How fast the related products move by themselves (§ 2, § 9), in CSS pixels a second. */
export const CAROUSEL_SPEED_PX_PER_S = 50
