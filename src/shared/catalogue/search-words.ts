/** A search for one of `words` also finds products with one of `finds`. Both may be phrases. */
export type SearchWordRow = {
  words: readonly string[]
  finds: readonly string[]
  /** Products with one of these words in their title aren't found. */
  except?: readonly string[] | undefined
  /** Whether the products are only similar, as trousers are to jeans. */
  isSimilar?: true | undefined
}

export const SUGGESTED_SEARCHES: readonly string[] = [
  'dress',
  'sandals',
  'kikoi',
  'hat',
  'blanket',
  'wooden toys',
]

const EXCLUSION_PATTERN = /^not\s+/i

/** With other words, these only say what a product is for. */
export const OCCASIONS: readonly string[] = (
  'baptism beach birthday christening christmas church easter eid gift gifts graduation guest harusi holiday idi kanisani ' +
  'krismasi occasion outing party pasaka present ruracio safari school sherehe shule traditional ubatizo valentine wedding ' +
  'xmas zawadi'
).split(' ')

/**
 * Reads a row such as `boy, son = children, not dress` or, if it finds similar products, `jeans ~ trousers`. Returns
 * undefined if it has no words on either side.
 */
export function parseSearchWordRow(line: string) {
  const [words = [], found = [], ...others] = line.split(/[=~]/).map(splitWords)
  const finds = found.filter((word) => !EXCLUSION_PATTERN.test(word))
  const except = found
    .filter((word) => EXCLUSION_PATTERN.test(word))
    .map((word) => word.replace(EXCLUSION_PATTERN, ''))
  if (words.length === 0 || finds.length === 0 || others.length > 0) return undefined
  return {
    words,
    finds,
    ...(except.length > 0 && { except }),
    ...(line.includes('~') && { isSimilar: true as const }),
  }
}

function splitWords(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)
}

/** The default rows. The owner can edit them in the office. */
export const SEARCH_WORDS: readonly SearchWordRow[] = `
nguo, mavazi, clothes, wear, outfit, apparel, vazi, garment, attire, outfits, wears, kinguo = clothing
gauni, rinda, gown, frock, sundress, pinafore, vestido, dresse = dress
baby dress, baby gown, baby frock, dress for baby = girl dress, mini dress
sketi = skirt
suruali, longi, trauza = trousers, pants
trousers = pants
pants = trousers
slacks = trousers
jeans, denim ~ trousers, pants
leggings, joggers, sweatpants, track suit ~ pants
kaptura, kaptula, bermudas, bukta, pensi = shorts
shati, blouse, blauzi, shirt = shirt, tee
t-shirt, tshirt, tee shirt, fulana, tisheti, tishati, t shirt, tshit, tshrt = tee
top = tee, shirt
baby shirt, baby t-shirt, baby tee, baby top = tee, not nursing
sweater, sweta, jumper, pullover, jersey, knitwear, kadigani, kadigan = cardigan
hoodie ~ cardigan
koti, jaketi, coat = coat, jacket
blazer, suit ~ coat, jacket
jacket = coat
raincoat, rain coat, rain jacket, koti la mvua, ponjo, mackintosh = poncho
umbrella, mwavuli ~ poncho
mvua, rainwear, rainy, rain season, rainy season = rain
warm, cold, winter, baridi, nguo za baridi, nguo za joto, warm clothes, cold weather, cosy, cozy = cardigan, jacket, coat, sleepsuit, beanie, blanket
short = shorts
rompa = romper
socks, soksi ~ booties
bra, nursing bra, maternity bra ~ nursing shirt
vest, vesti, singlet ~ tee
tights, stockings ~ pants, booties
underwear, panties, knickers, boxers, chupi, nguo za ndani, boxer, pant ya ndani, lingerie ~ romper, sleepsuit
nightdress, nightie, night dress ~ kaftan, sleepsuit
uniform, sare, sare za shule, school uniform, nguo za shule ~ slip-ons, t-bar, backpack
pe kit, games kit ~ shorts, tee
onesie, babygro, babygrow, baby grow, bodysuit, romper suit = romper, sleepsuit
pyjamas, pajamas, nightwear, sleepwear, pajama, nguo ya kulala, nguo za kulala, pjs, nguo ya kulalia, nguo za kulalia, sleeping suit, sleep suit = sleepsuit
overalls, overall, dungaree, dangarizi, dungris = dungarees
playsuit, jump suit, ovaroli = jumpsuit, dungarees
dashiki ~ kaftan, shirt
dera, caftan, boubou, abaya, buibui, maxi = kaftan
free, free size, freesize = kaftan, kimono, headband
robe, dressing gown, kanzu ~ kimono, kaftan
breastfeeding, kunyonyesha, nyonyesha, anayenyonyesha, breast feeding = nursing
maternity, post partum, postpartum, mjamzito, wajawazito, mimba, pregnancy, pregnant = nursing
viatu, kiatu, njumu, shoes, footwear, kanyagio, shuz, chuz, kanyanga = footwear
ndala, malapa, flip flops, flipflops, slippers, kandambili, champali, slipa, sapatu, slides, akala = slides
sandals, sandles, makubadhi, sendo, sandali = sandals, slides
gumboots, wellies, wellingtons, rainboots, viatu vya mvua, gumbuts, gambuti, gumboot, rain boot = rain boots
boots = booties
buti, boto = boots, booties
canvas shoes, rubber shoes, raba, plimsolls, slip, slipon, slip on, loafers = slip-ons
sneakers, sneaker, trainers, sports shoes, tennis shoes ~ slip-ons
heels, high heels, wedges, flats ~ espadrilles, sandals
doll shoes, ballerina, pumps ~ t-bar, espadrilles
breast pump ~ nursing, bottle
open shoes, sandos = sandals, slides
culottes, palazzo, bell bottom, bellbottoms ~ trousers, jumpsuit
trench coat, trenchcoat ~ coat
sleep sack, sleeping bag, sleepsack ~ sleepsuit, swaddle
nursing cover, breastfeeding cover ~ swaddle, sling
burp cloth, muslin cloth, swaddling cloth = swaddle, bib
toy box, toy basket, toy storage = storage basket
waterproof, water proof, water resistant, windbreaker, wind breaker = rain, waxed
tie dye, tiedye, batik, adire = hand-dyed
kanga dress, khanga dress, leso dress, lesso dress, gauni la kanga = kaftan
long dress, maxi dress = kaftan, wrap dress
short dress = twirl dress, mini dress
tutu ~ twirl dress, skirt
long skirt, short skirt, mini skirt = skirt
short sleeve = short sleeved, shirt
zipper = zip
crotchet, crochet = crocheted
stacker = stacking
satchel = backpack
matching outfit, matching clothes, matching dress = mama and mini
crocs, clogs ~ slides, sandals
school shoes, viatu vya shule = slip-ons, t-bar
school, shule, back to school, school opening, first day of school = slip-ons, t-bar, backpack
first shoes, pre walker, prewalker, baby shoes, pram shoes, walking shoes = booties, first steps
kofia, hat, cap, kepi, kepu, hats = hat, beanie
marvin, mavin, woolly hat, wooly hat = beanie
baby hat, baby cap = hat, beanie
gloves, mittens, glavu ~ beanie
kofia ya jua, sun cap = sun hat
kilemba, turban, headwrap, head wrap, hairband, hair band, kitambaa cha kichwa, leso ya kichwa, bendi ya nywele, hair wrap = headband
hair bow, barrettes, kibanio, vibanio, klipi, pini, hair pin, vibanio vya nywele = hair clips
hair accessories, nywele, vitu vya nywele = hair clips, headband
mkoba, handbag, purse, tote, mfuko = bag
bag, begi, mkoba wa mtoto, mfuko wa mtoto, mkoba wa watoto, mfuko wa watoto = bag, backpack
school bag, schoolbag, begi la shule, mkoba wa shule, mfuko wa shule, rucksack, bookbag, bagpack, bagpak, bag pack, backpak, shule begi, kids bag, bag for kids = backpack
pampers, pampas, huggies, potty, nepi, diaper, nappy, nappies ~ changing bag
diaper bag, nappy bag, baby bag, hospital bag, begi la nepi, mkoba wa nepi, begi ya diapers, mama bag = changing bag
jewellery, jewelry, vito, mapambo, urembo, jewelery, jewels = necklace, earrings
mkufu, chain, neckless, kidani = necklace
hereni, herini, studs, earring, vipuli = earrings
shanga, ushanga = beads
baby wrap, mbeleko, bebeo, baby sling, babywearing, beba mtoto, kubeba mtoto, kubebea mtoto, kibebeo, kumbeba mtoto, mbebeo, beleko, baby career, baby caria, mei tai, kubebea = sling, carrier
carrier, baby carrier = carrier, sling
car seat, carseat, stroller, pram, pushchair ~ sling, carrier
teether, kuota meno, meno, meno ya mtoto = teething
blanketi, blanketi ya mtoto, shuka ya mtoto, baby shuka, shawl, throw, blanky, blankie, bleket, blanket ya mtoto, shali, shuka la mtoto, kumfunika, kumfunika mtoto = blanket
swaddling, receiving blanket, muslins, swadle, kumfunga mtoto, muslin = swaddle
towel, taulo ~ swaddle, blanket
pacifier, dummy, nyonyo, soother ~ teething
ball, mpira ~ toys
bracelet, bangili, bangle ~ necklace, earrings
cup, sippy, kikombe, mug ~ bottle, bowl
scarf, hijab, mtandio, headscarf, skafu ~ headband
bedding, bed sheet, sheet, shuka za kitanda, bed cover = cot quilt, blanket
duvet, duveti, comforter ~ cot quilt, blanket
mto, mito, pilo, cushion = pillow
crib, cot, bassinet, kitanda, mattress, godoro, baby bed ~ moses basket
kikapu cha kulalia, kikapu cha mtoto, baby basket, sleeping basket = moses basket
taa, light, nightlight, night light, taa ya usiku, nite lamp = lamp
kikapu, hamper = basket
market bag, kikapu cha soko, ciondo, chondo, vyondo = kiondo
decoration, decor, banner, bunting, kibendera, bendera, mapambo ya birthday, mapambo ya chumba, pambo = garland, mobile
sahani, dish, sinia = plate
bakuli = bowl
kijiko, cutlery = spoon
chupa, chupa ya maziwa, milk bottle = bottle
apron, aproni = smock
lunchbox, lunch box = lunch bag
snack box, food container = snack pots, lunch bag
food, chakula, eating, tableware, vyombo, chombo, kulisha, kula, utensils, weaning = feeding
uma, fork, vijiko na uma = spoon trio
bibu, kifuani, nguo ya kula = bib, smock
toy, toyz, toi, tois, midoli, vinyago, game, play, kuchezea, kucheza, kichezeo, mchezo, michezo = toys
book, kitabu, vitabu, puzzle, train, bicycle, baiskeli, lego ~ toys
baby toy = toys, teething
bath toy ~ toys
mwanasesere, dolly, doli, mdoli = doll
animal, wanyama, mnyama = elephant, giraffe, safari, tembo
twiga = giraffe
tembo, ndovu, elefant = elephant
car, gari, bus, basi, vehicle, truck, lorry = matatu
njuga, kayamba, manyanga, shaker = rattle
pull toy, push toy, toy ya kuvuta = pull-along, push
ngoma, music, instrument, musical = drum, rattle
building blocks, bricks, matofali, matofali ya kuchezea = blocks
soft toy, stuffed animal, plush = patchwork elephant, rag doll
teddy ~ patchwork elephant, rag doll
mother and daughter, mama na mtoto, mama na binti, matching, twinning, kufanana = mama and mini
mtoto, watoto, toto, mtoi, watoi, kid, kidz, child, toddler, kiddo, dogo = children
mama, mum, mom, mother, mommy, mummy, mathe, wamama, akina mama, kina mama = mom, women
mwanamke, wanawake, lady, female, kike, wife, mke, girlfriend, sister, aunt, auntie, grandma, grandmother, shosho, teacher, mwalimu, her, dada, wadada, kina dada, dem, manzi, msupa, mpenzi, bibi, ladies, shangazi = women
man, men, gents, gentleman, dad, daddy, father, baba, husband, mume, boyfriend, mzee, mwanaume, wanaume, him, uncle, grandpa = men
girl, gal, msichana, wasichana, daughter, binti, princess, mtoto wa kike, watoto wa kike = girl, children
teen, teenager, tween ~ children
boy, boyz, unisex, mvulana, wavulana, kijana, vijana, son, mtoto wa kiume, watoto wa kiume, kiume = children, not girl, not dress, not hair
infant, beby, bebi, bby, babe = baby
gift, zawadi, present, gift ideas, gift idea, gift box, gift set = gift, toys, blanket, kiondo, earrings, collar necklace, headband
mothers day, valentine, valentines = collar necklace, earrings, kiondo, kimono, mama and mini
birthday, bday, siku ya kuzaliwa, kuzaliwa = toys, gift, garland
baby shower, shower, baby gift, newborn gift, starter pack, essentials, baby essentials, naming ceremony = blanket, swaddle, carrier, nursery, sleepsuit, teething, rattle, booties, bib
party, christmas, xmas, krismasi, easter, pasaka, eid, idi, idd = dress, toys
wedding, harusi, sherehe, church, kanisa, kanisani, baptism, ubatizo, christening, graduation, ruracio, occasion, flower girl, wedding guest = twirl dress, wrap dress, mini dress, collar necklace, earrings
beach, swimming, holiday, pwani, pool ~ shorts, kaftan, kimono, sun hat, slides
sale, offer, discount, ofa, punguzo = sale
khanga, leso, lesso = kanga
kikoy, kikois, kikoys = kikoi
ankara, vitenge, chitenge, african print, wax print = kitenge
african, kiafrika = kitenge, kanga, kikoi, maasai
wipes, kitambaa ~ bib, swaddle
masai, kimaasai, kimasai, maasi = maasai
shuka = maasai check
mbao, timber = wood
pamba = cotton
hypoallergenic, sensitive skin, eczema = organic
ngozi = leather
kitani, katani = linen
sufi = wool
mkonge = sisal
mianzi, mwanzi = bamboo
shaba, brass = brass
nazi, kifuu = coconut
mzeituni = olive
tairi, matairi, tyre, tire = tyre
kioo = glass
maua, floral, flowers = flower
mistari, stripes, stripy = striped, stripes
polka dot, polka, spotted = dots, spotted
checked, checkered = check, gingham
blue, bluu, navy, samawati, buluu = indigo, blue
yellow, orange, njano, manjano, mustard = marigold, yellow
red, nyekundu, jekundu, vyekundu, mekundu, terracotta, maroon, rust, burgundy = clay, red
white, nyeupe, jeupe, vyeupe, meupe, ivory, beige, offwhite, off white = cream
green, kijani = acacia green, sage green, green
`
  .trim()
  .split('\n')
  .flatMap((line) => parseSearchWordRow(line) ?? [])
