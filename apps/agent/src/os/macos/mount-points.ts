/** From `mount`: `/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)`. */
export function parseMountPoints(output: string): Set<string> {
  const places = output.split('\n').flatMap((line) => {
    const [, mount] = /^.+? on (\/.*) \([^()]*\)$/.exec(line) ?? []
    return mount === undefined ? [] : [mount]
  })
  return new Set(places)
}
