"""Makes the Parquet, Arrow and NumPy files of this folder. numpy 2.4.6, pyarrow 26.0.1, polars 2.1.0.

    python make.py
"""
import datetime
import decimal

import numpy as np
import polars
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq

ROWS = 60
real = [None if k % 7 == 3 else k / 8 - 2.5 for k in range(ROWS)]
table = pa.table(
    {
        "real": pa.array(real, pa.float64()),
        "single": pa.array([k / 4 for k in range(ROWS)], pa.float32()),
        "count": pa.array([k * k - 5 for k in range(ROWS)], pa.int64()),
        "small": pa.array([k % 3 for k in range(ROWS)], pa.int8()),
        "large": pa.array([2**63 + k * 2**33 for k in range(ROWS)], pa.uint64()),
        "flag": pa.array([None if k == 5 else k % 2 == 0 for k in range(ROWS)], pa.bool_()),
        "word": pa.array([None if k == 4 else "zyx"[k % 3] * 5 + "ü" for k in range(ROWS)], pa.string()),
        "ward": pa.array([None if k == 6 else "cba"[k % 3] for k in range(ROWS)]).dictionary_encode(),
        "price": pa.array([decimal.Decimal(k * 25 - 100) / 100 for k in range(ROWS)], pa.decimal128(10, 2)),
        "nothing": pa.array([None] * ROWS, pa.null()),
    }
)

for codec in ["none", "snappy", "gzip", "lz4", "zstd"]:
    pq.write_table(table, f"{codec}.parquet", compression=codec, row_group_size=25)
pq.write_table(table, "v2.parquet", compression="zstd", data_page_version="2.0", use_dictionary=False)
pq.write_table(table.select(["real", "count"]), "brotli.parquet", compression="brotli")
polars.from_arrow(table.drop(["nothing"])).write_parquet("polars.parquet")

for codec in ["uncompressed", "lz4", "zstd"]:
    pyarrow.feather.write_feather(table, f"{codec}.feather", compression=codec, chunksize=25)
with pa.ipc.new_stream("stream.arrow", table.schema) as stream:
    stream.write_table(table, max_chunksize=25)
polars.from_arrow(table.drop(["nothing", "large"])).write_ipc("polars.arrow")
long_words = pa.array([None if k == 4 else "wörd" * (k % 6) for k in range(ROWS)])
views = pa.table({"large": long_words.cast(pa.large_string()), "view": long_words.cast(pa.string_view())})
pyarrow.feather.write_feather(views, "text.feather", compression="uncompressed")

odd = {
    "timestamp": pa.array([datetime.datetime(2020, 1, 1)], pa.timestamp("us")),
    "date": pa.array([datetime.date(2020, 1, 1)], pa.date32()),
    "nested": pa.array([[1, 2]], pa.list_(pa.int32())),
    "binary": pa.array([b"\xff"], pa.binary()),
}
for name, column in odd.items():
    one = pa.table({"x": [1.5], "odd": column})
    pq.write_table(one, f"odd-{name}.parquet")
    pyarrow.feather.write_feather(one, f"odd-{name}.feather", compression="uncompressed")

grid = np.arange(12).reshape(4, 3)
np.save("f8.npy", grid / 4)
np.save("f4-fortran.npy", np.asfortranarray(grid / 4).astype(np.float32, order="F"))
np.save("i2-big.npy", (grid - 6).astype(">i2"))
np.save("u8.npy", grid.astype(np.uint64) + np.uint64(2**63))
np.save("bool.npy", grid % 2 == 0)
np.save("vector.npy", np.arange(3.0))
np.save("complex.npy", grid + 1j)
np.save("records.npy", np.zeros(3, dtype=[("a", "<f8"), ("b", "<i4")]))

nameless = pa.table([pa.array([1.5, 2.5, 4.0]), pa.array([2**53 + 1, 7, 8], pa.int64())], names=["", "code"])
pq.write_table(nameless, "nameless.parquet")
pyarrow.feather.write_feather(nameless, "nameless.feather", compression="uncompressed")
