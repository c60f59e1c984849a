export interface Comparison {
  /** The median over the rounds of our result divided by the other, with the quartiles. */
  ratio: number;
  quartiles: [number, number];
  ours: number;
  other: number;
  rounds: number;
}

type Sample = () => Promise<number>;

/** The two sides alternate in short rounds, so that other load on the machine affects both. */
export async function takeTurns<T>(
  rounds: number,
  ours: () => Promise<T>,
  other: () => Promise<T>,
): Promise<[ours: T, other: T][]> {
  const samples: [ours: T, other: T][] = [];
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) samples.push([await ours(), await other()]);
    else samples.push([await other(), await ours()].reverse() as [T, T]);
  }
  return samples;
}

export async function compareInTurns(rounds: number, ours: Sample, other: Sample): Promise<Comparison> {
  return summarize(await takeTurns(rounds, ours, other));
}

export function summarize(samples: [ours: number, other: number][]): Comparison {
  const ratios = samples.map(([ours, other]) => ours / other);
  return {
    ratio: findQuantile(ratios, 0.5),
    quartiles: [findQuantile(ratios, 0.25), findQuantile(ratios, 0.75)],
    ours: findQuantile(
      samples.map(([ours]) => ours),
      0.5,
    ),
    other: findQuantile(
      samples.map(([, other]) => other),
      0.5,
    ),
    rounds: samples.length,
  };
}

/** Interpolated between the two nearest samples. */
export function findQuantile(samples: number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const position = (sorted.length - 1) * share;
  const [below = Number.NaN, above = Number.NaN] = [sorted[Math.floor(position)], sorted[Math.ceil(position)]];
  return below + (above - below) * (position % 1);
}
