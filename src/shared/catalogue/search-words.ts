/**
 * A search for one of `words` also finds products with one of `finds` in their title, category or description. Entries may
 * be phrases, in any grammatical form.
 */
export type SearchWordRow = {
  words: readonly string[]
  finds: readonly string[]
  /** Excludes products with one of these words in their title. */
  except?: readonly string[]
}

/** Suggested when a search finds nothing. */
export const SUGGESTED_SEARCHES: readonly string[] = [
  'dress',
  'sandals',
  'kikoi',
  'hat',
  'blanket',
  'wooden toys',
]

/** English synonyms, Swahili words, and alternative spellings. */
export const SEARCH_WORDS: readonly SearchWordRow[] = [
  // Clothes
  { words: ['nguo', 'mavazi', 'clothes', 'wear', 'outfit', 'apparel'], finds: ['clothing'] },
  { words: ['gauni', 'gown', 'frock', 'sundress'], finds: ['dress'] },
  { words: ['sketi'], finds: ['skirt'] },
  { words: ['suruali'], finds: ['trousers', 'pants'] },
  { words: ['trousers'], finds: ['pants'] },
  { words: ['pants'], finds: ['trousers'] },
  { words: ['jeans', 'slacks'], finds: ['trousers'] },
  { words: ['leggings'], finds: ['pants'] },
  { words: ['kaptura', 'bermudas'], finds: ['shorts'] },
  { words: ['shati', 'blouse'], finds: ['shirt'] },
  { words: ['t-shirt', 'tshirt', 'tee shirt', 'fulana'], finds: ['tee'] },
  { words: ['top'], finds: ['tee', 'shirt'] },
  { words: ['sweater', 'sweta', 'jumper', 'pullover', 'jersey', 'hoodie', 'knitwear'], finds: ['cardigan'] },
  { words: ['koti', 'blazer'], finds: ['coat', 'jacket'] },
  { words: ['jacket'], finds: ['coat'] },
  { words: ['raincoat', 'rain coat', 'rain jacket', 'koti la mvua'], finds: ['poncho'] },
  { words: ['onesie', 'babygro', 'bodysuit', 'romper suit'], finds: ['romper', 'sleepsuit'] },
  { words: ['pyjamas', 'pajamas', 'nightwear', 'sleepwear', 'pajama'], finds: ['sleepsuit'] },
  { words: ['overalls', 'dungaree'], finds: ['dungarees'] },
  { words: ['playsuit', 'jump suit'], finds: ['jumpsuit'] },
  { words: ['dera', 'caftan', 'boubou'], finds: ['kaftan'] },
  { words: ['robe', 'dressing gown'], finds: ['kimono'] },
  { words: ['breastfeeding', 'kunyonyesha'], finds: ['nursing'] },
  { words: ['maternity', 'mjamzito', 'pregnancy', 'pregnant'], finds: ['nursing', 'mom'] },
  // Shoes
  { words: ['viatu', 'kiatu', 'shoes', 'footwear'], finds: ['footwear'] },
  { words: ['ndala', 'malapa', 'flip flops', 'flipflops', 'slippers'], finds: ['slides'] },
  { words: ['sandals', 'makubadhi'], finds: ['sandals', 'slides'] },
  { words: ['gumboots', 'wellies', 'wellingtons'], finds: ['rain boots'] },
  { words: ['boots'], finds: ['booties'] },
  {
    words: ['sneakers', 'trainers', 'canvas shoes', 'rubber shoes', 'raba', 'plimsolls'],
    finds: ['slip-ons'],
  },
  { words: ['first shoes', 'baby shoes', 'pram shoes'], finds: ['booties', 'first steps'] },
  // Accessories
  { words: ['kofia', 'hat', 'cap'], finds: ['hat', 'beanie'] },
  { words: ['kilemba', 'turban', 'headwrap', 'head wrap'], finds: ['headband'] },
  { words: ['hair bow', 'hair accessories', 'barrettes'], finds: ['hair clips'] },
  { words: ['mkoba', 'handbag', 'purse', 'tote', 'begi', 'mfuko'], finds: ['bag'] },
  { words: ['school bag', 'schoolbag', 'rucksack', 'bookbag'], finds: ['backpack'] },
  { words: ['diaper bag', 'nappy bag', 'baby bag'], finds: ['changing bag'] },
  { words: ['jewellery', 'jewelry', 'vito', 'mapambo'], finds: ['necklace', 'earrings'] },
  { words: ['mkufu', 'chain'], finds: ['necklace'] },
  { words: ['hereni', 'herini', 'studs'], finds: ['earrings'] },
  { words: ['shanga'], finds: ['beads'] },
  // Nursery
  { words: ['baby wrap', 'mbeleko', 'baby sling', 'babywearing'], finds: ['sling', 'carrier'] },
  { words: ['teether'], finds: ['teething'] },
  { words: ['blanketi', 'shawl', 'throw'], finds: ['blanket'] },
  { words: ['swaddling', 'receiving blanket', 'muslins'], finds: ['swaddle'] },
  { words: ['duvet', 'bedding', 'comforter'], finds: ['quilt', 'blanket'] },
  { words: ['mto'], finds: ['pillow'] },
  { words: ['crib', 'bassinet', 'kitanda'], finds: ['cot', 'moses basket'] },
  { words: ['taa', 'light', 'nightlight', 'night light'], finds: ['lamp'] },
  { words: ['kikapu', 'hamper'], finds: ['basket'] },
  { words: ['decoration', 'decor', 'banner'], finds: ['garland', 'mobile'] },
  // Feeding
  { words: ['sahani', 'dish'], finds: ['plate'] },
  { words: ['bakuli'], finds: ['bowl'] },
  { words: ['kijiko', 'cutlery'], finds: ['spoon'] },
  { words: ['chupa'], finds: ['bottle'] },
  { words: ['apron', 'overall'], finds: ['smock'] },
  { words: ['lunchbox', 'lunch box'], finds: ['lunch bag', 'snack pots'] },
  { words: ['food', 'chakula', 'eating', 'tableware'], finds: ['feeding'] },
  // Toys
  { words: ['toy', 'midoli', 'vinyago', 'game', 'play'], finds: ['toys'] },
  { words: ['mwanasesere', 'dolly'], finds: ['doll'] },
  { words: ['twiga'], finds: ['giraffe'] },
  { words: ['tembo', 'ndovu'], finds: ['elephant'] },
  { words: ['car', 'gari', 'bus', 'basi', 'vehicle', 'truck', 'lorry'], finds: ['matatu'] },
  { words: ['ngoma', 'music', 'instrument'], finds: ['drum', 'rattle'] },
  { words: ['building blocks', 'bricks'], finds: ['blocks'] },
  { words: ['soft toy', 'teddy', 'stuffed animal', 'plush'], finds: ['patchwork elephant', 'rag doll'] },
  // Wearers
  {
    words: ['mother and daughter', 'mama na mtoto', 'mommy and me', 'mum and me', 'matching', 'twinning'],
    finds: ['mama and mini'],
  },
  { words: ['mtoto', 'watoto', 'kid', 'child', 'toddler'], finds: ['children'] },
  { words: ['mama', 'mum', 'mother', 'mommy'], finds: ['mom', 'women'] },
  { words: ['mwanamke', 'wanawake', 'lady', 'female'], finds: ['women'] },
  { words: ['girl', 'msichana', 'daughter'], finds: ['children'] },
  { words: ['boy', 'mvulana', 'son'], finds: ['children'], except: ['girl', 'dress', 'hair'] },
  { words: ['infant', 'kichanga'], finds: ['baby'] },
  { words: ['gift', 'zawadi', 'present', 'baby shower'], finds: ['gift', 'trio', 'set'] },
  // Textiles and materials
  { words: ['khanga', 'leso', 'lesso'], finds: ['kanga'] },
  { words: ['kikoy', 'kikois', 'kikoys'], finds: ['kikoi'] },
  { words: ['ankara', 'vitenge', 'chitenge', 'african print'], finds: ['kitenge'] },
  { words: ['masai', 'shuka'], finds: ['maasai'] },
  { words: ['mbao', 'timber'], finds: ['wood'] },
  { words: ['pamba'], finds: ['cotton'] },
  { words: ['ngozi'], finds: ['leather'] },
  // Colours
  { words: ['blue', 'bluu', 'navy'], finds: ['indigo'] },
  { words: ['yellow', 'orange', 'njano'], finds: ['marigold'] },
  { words: ['red', 'nyekundu', 'terracotta'], finds: ['clay'] },
  { words: ['green', 'kijani'], finds: ['acacia', 'sage'] },
]
