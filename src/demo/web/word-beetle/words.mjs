/** Five to seven letters, none with a shorter one of the list inside. */
export const WORDS = `
acorn amber anchor apple arrow autumn badger balloon bamboo basket beacon bottle branch breeze bridge butter button
cactus candle canyon carpet carrot castle cherry circle clover cobalt copper coral cotton cradle crayon cricket crystal
dagger dancer desert dolphin dragon dream eagle ember engine falcon feather fiddle flower forest fossil fountain galaxy
garden ginger glacier goblin guitar hammer harbor helmet hollow honey hunter island jacket jungle kettle kitten ladder
lantern lemon letter lizard lobster magnet maple marble meadow melody meteor mirror monkey mosaic muffin needle nettle
ocean orange orchid otter oyster paper parrot pebble pencil pepper pigeon pillow pirate planet pocket pollen pumpkin
puzzle quarry rabbit raven ribbon river rocket saddle salmon sandal shadow silver skate sparrow spider spiral spoon
squash squid stream summer temple thistle thunder ticket tiger timber tomato tunnel turtle valley velvet violin walnut
willow window winter wizard wombat zebra zipper
`
  .trim()
  .split(/\s+/)
