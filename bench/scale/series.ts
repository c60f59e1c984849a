/** What a value is when there is more of something. */
export interface Series {
  /** What there is more of. */
  of: "replicas" | "resources" | "items" | "clients" | "creations";
  title: string;
  points: Point[];
}

export interface Point {
  size: number;
  value: number;
}

/** How much the value grows with each one more: the slope of the line that fits best. */
export function findSlope(points: Point[]): number {
  const mean = (read: (point: Point) => number) => points.reduce((sum, one) => sum + read(one), 0) / points.length;
  const [size, value] = [mean((point) => point.size), mean((point) => point.value)];
  const covariance = mean((point) => (point.size - size) * (point.value - value));
  return covariance / mean((point) => (point.size - size) ** 2);
}

/** Turns measurements, each with the same titles, into a series for each title. */
export function toSeries(of: Series["of"], measured: Map<number, Record<string, number>>): Series[] {
  const [first = {}] = measured.values();
  return Object.keys(first).map((title) => ({
    of,
    title,
    points: [...measured].map(([size, values]) => ({ size, value: values[title] ?? Number.NaN })),
  }));
}
