/** How long the splash covers Home (§ 2). */
export const SPLASH_MS = 2500

/** How long each feature stays on Home's badge (§ 2). */
export const FEATURE_MS = 3000

/** What the badge says in turn (§ 2). */
export const FEATURES = [
  '100% Organic Cotton',
  'Eco-Friendly Materials',
  'Hypoallergenic & Safe',
  'Sustainable Production',
  'Family Approved',
  'Premium Quality',
] as const

/** The figures under Home's headline (§ 2). */
export const HOME_STATS = [
  { figure: '1M+', label: 'Happy Families' },
  { figure: '100%', label: 'Organic Cotton' },
  { figure: '5-star', label: 'Customer Rating' },
] as const
