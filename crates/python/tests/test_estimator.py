"""The estimator: scikit-learn manners, results, runs on disk, copies."""

from __future__ import annotations

import copy
import pickle
import re

import numpy as np
import pytest
from conftest import QUICK, ROOT

import gflowcausal
from gflowcausal import Dag, GFlowCausal, Graph, Knowledge


@pytest.fixture(scope="module")
def model(simulated):
    return GFlowCausal(seed=3, **QUICK).fit(simulated.data, truth=simulated.graph)


def test_fit_returns_self_and_results_end_in_an_underscore(simulated):
    estimator = GFlowCausal(**QUICK)
    assert estimator.fit(simulated.data) is estimator
    assert estimator.adjacency_.shape == estimator.edge_probabilities_.shape == (6, 6)
    assert estimator.n_features_in_ == 6
    assert not hasattr(estimator, "feature_names_in_")


def test_results_agree_with_each_other(model):
    adjacency = model.adjacency_
    assert isinstance(model.graph_, Dag)
    place = {name: k for k, name in enumerate(model.order_)}
    assert all(place[edge.cause] < place[edge.effect] for edge in model.graph_.edges)
    for edge in model.graph_.edges:
        i, j = model.graph_.names.index(edge.cause), model.graph_.names.index(edge.effect)
        assert adjacency[i, j] == 1
        assert model.edge_probabilities_[i, j] == edge.probability
        assert model.weights_[i, j] == edge.weight
    assert adjacency.sum() == len(model.graph_.edges)
    assert model.cpdag_ == model.graph_.cpdag()
    assert model.score_ == model.result_["score"]["value"]
    assert model.metrics_["shd"] == gflowcausal.evaluate(model.graph_, model.graph_)["shd"] + model.metrics_["shd"]


def test_the_truth_gives_metrics(model, simulated):
    metrics = gflowcausal.evaluate(model, simulated)
    assert {key: model.metrics_[key] for key in metrics} == metrics


def test_weights_are_least_squares_slopes(model, simulated):
    effect = next(edge.effect for edge in model.graph_.edges)
    parents = model.graph_.parents(effect)
    columns = [simulated.names.index(name) for name in parents]
    design = np.column_stack([simulated.data[:, columns], np.ones(len(simulated.data))])
    slopes, *_ = np.linalg.lstsq(design, simulated.data[:, simulated.names.index(effect)], rcond=None)
    row = model.weights_[columns, simulated.names.index(effect)]
    np.testing.assert_allclose(row, slopes[:-1], rtol=1e-8)


def test_params_are_got_set_and_cloned(simulated):
    base = pytest.importorskip("sklearn.base")
    estimator = GFlowCausal(seed=4, require=["X1->X2"], **QUICK)
    twin = base.clone(estimator)
    assert twin.get_params() == estimator.get_params()
    assert twin.set_params(seed=9).seed == 9
    assert estimator.seed == 4
    with pytest.raises(ValueError, match="Invalid parameter 'sede'"):
        estimator.set_params(sede=1)
    with pytest.raises(gflowcausal.GFlowCausalError, match="there is no option 'sede'"):
        gflowcausal.discover(simulated, sede=1)


def test_params_are_the_configuration_of_the_command_line():
    from gflowcausal._options import DISCOVERY

    page = (ROOT / "docs/options.md").read_text()
    listed = re.findall(r"^\| `([a-z0-9-]+)` \|.*\|.*\|.*\|.*\|$", page, re.M)
    # An attribute `transform` would make the estimator a transformer to scikit-learn.
    expected = ["transforms" if key == "transform" else key.replace("-", "_") for key in listed]
    assert expected == list(DISCOVERY)
    assert set(DISCOVERY) <= set(GFlowCausal().get_params())


def test_repr_says_what_was_changed():
    assert repr(GFlowCausal(method="exact", seed=2)) == "GFlowCausal(method='exact', seed=2)"
    assert repr(GFlowCausal()) == "GFlowCausal()"


def test_asked_before_fit_it_says_so():
    with pytest.raises(gflowcausal.errors.NotFittedError, match="not fitted yet"):
        GFlowCausal().sample(3)
    with pytest.raises(AttributeError):
        GFlowCausal().summary()


def test_the_same_seed_gives_the_same_bits_on_any_number_of_threads(simulated):
    found = [GFlowCausal(seed=1, threads=threads, **QUICK).fit(simulated) for threads in (1, 3)]
    for result in (one.result_ for one in found):
        del result["seconds"]
    assert found[0].result_ == found[1].result_


def test_samples_are_graphs_with_their_rewards(model):
    drawn = model.samples_
    assert drawn.total == 100
    assert sum(one.count for one in drawn) == 100
    assert drawn.distinct == model.result_["posterior"]["distinct"]
    assert repr(drawn) == f"Samples(100 graphs, {drawn.distinct} different)"
    assert isinstance(drawn[0].graph, Dag)
    assert len(drawn[:3]) == 3
    assert drawn[-1].order and drawn[0].log_reward < 0


def test_more_samples_are_new_ones(model):
    more = model.sample(50)
    assert more.total == 50
    assert [one.log_prob for one in model.sample(50)] == [one.log_prob for one in more]
    assert [one.log_reward for one in model.sample(50, seed=77)] != [one.log_reward for one in more]


def test_draws_have_the_prior_that_evidence_chose():
    """The sample size of the prior of categories is the data's choice, and belongs to what is drawn from."""
    data = gflowcausal.simulate(nodes=6, degree=1, rows=500, model="discrete", seed=3).data
    fitted = GFlowCausal(seed=0).fit(data)
    assert fitted.result_["score"]["evidence"]["sample_size"] != 1
    for twin in (fitted, pickle.loads(pickle.dumps(fitted))):
        drawn = twin.sample(4000, seed=5)
        frequencies = sum(one.count * np.array(one.graph.to_adjacency()) for one in drawn) / drawn.total
        assert np.abs(frequencies - fitted.edge_probabilities_).max() < 0.05


def test_a_method_without_probabilities_refuses_to_sample(simulated):
    with pytest.raises(gflowcausal.GFlowCausalError, match="no graphs to draw"):
        GFlowCausal(method="pc").fit(simulated).sample(5)


def test_the_exact_posterior_is_sampled(simulated):
    assert GFlowCausal(method="exact", samples=10).fit(simulated).sample(5).total == 5


@pytest.mark.parametrize("options", [{}, {"score": "spline"}, {"standardize": True, "score": "bge"}])
def test_a_pickled_model_draws_the_same_graphs(simulated, options):
    fitted = GFlowCausal(**QUICK, **options).fit(simulated.data)
    for twin in (pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted), copy.copy(fitted)):
        assert twin.graph_ == fitted.graph_
        assert [one.graph for one in twin.sample(20)] == [one.graph for one in fitted.sample(20)]
        assert [one.log_reward for one in twin.sample(20)] == [one.log_reward for one in fitted.sample(20)]


def test_a_pickled_model_of_a_linear_score_does_not_hold_the_rows():
    data = np.random.default_rng(0).normal(size=(20_000, 5))
    fitted = GFlowCausal(**QUICK).fit(data)
    assert len(pickle.dumps(fitted)) < data.nbytes / 4


def test_summary_and_pictures(model):
    text = model.summary()
    assert "400 rows, 6 variables" in text and "against the truth" in text
    html = model._repr_html_()
    assert html.count('class="node"') == 6 and "<table>" in html and "<svg" in html
    assert GFlowCausal()._repr_html_() == "<code>GFlowCausal()</code>"
    assert "digraph {" in model.to_dot()
    assert model.to_networkx().number_of_edges() == len(model.graph_.edges)


def test_a_report_is_one_page_and_the_same_after_a_journey(model, tmp_path, simulated):
    model.report(tmp_path / "out.html")
    page = (tmp_path / "out.html").read_text()
    assert page.startswith("<!") and all(name in page for name in simulated.names)
    pickle.loads(pickle.dumps(model)).report(tmp_path / "again.html")
    assert (tmp_path / "again.html").read_text() == page
    GFlowCausal(method="exact", samples=5).fit("sachs").report(tmp_path / "exact.html")
    assert "PKC" in (tmp_path / "exact.html").read_text()


@pytest.mark.parametrize("method", gflowcausal.methods())
def test_every_method_shows_its_result(method, simulated, tmp_path):
    options = {"iterations": 10} if "gflow" in method else {}
    fitted = gflowcausal.discover(simulated, method=method, truth=simulated, **options)
    assert f"method {method}" in fitted.summary()
    assert "<svg" in fitted._repr_html_()
    fitted.report(tmp_path / "report.html")
    assert method in (tmp_path / "report.html").read_text()
    assert pickle.loads(pickle.dumps(fitted)).result_ == fitted.result_
    assert len(fitted.effects_) == 30, "of all ordered pairs, whatever found the graphs"


def test_plots_are_written_as_their_names_say(model, tmp_path):
    for kind in ("graph", "probabilities", "training"):
        model.plot(tmp_path / f"{kind}.svg", kind)
        model.plot(tmp_path / f"{kind}.png", kind)
        assert (tmp_path / f"{kind}.svg").read_text().startswith("<svg")
        assert (tmp_path / f"{kind}.png").read_bytes().startswith(b"\x89PNG")
        model.plot(tmp_path / f"{kind}.pdf", kind)
        assert (tmp_path / f"{kind}.pdf").read_bytes().startswith(b"%PDF")
    with pytest.raises(gflowcausal.errors.ArgumentError, match="does not say the format"):
        model.plot(tmp_path / "graph.gif")
    with pytest.raises(gflowcausal.errors.ArgumentError, match="unknown kind of picture 'cake'"):
        model.plot(tmp_path / "cake.svg", "cake")
    with pytest.raises(gflowcausal.errors.NotInRunError):
        GFlowCausal(method="exact", samples=5).fit("sachs").plot(tmp_path / "none.svg", "training")
    assert not (tmp_path / "none.svg").exists()


def test_a_drawing_shows_directions_as_they_are():
    class_ = Graph(["<b>", "wet", "slip"], [("<b>", "wet")], undirected=[("wet", "slip")])
    drawing = class_.to_svg()
    assert drawing.count('class="head"') == 1 and drawing.count('class="line"') == 2
    assert "<title>wet – slip</title>" in drawing and "<b>" not in class_._repr_html_()
    cycle = Graph(["a", "b", "c"], [("a", "b"), ("b", "c"), ("c", "a")])
    assert cycle.to_svg().count('class="head"') == 3


def test_knowledge_is_satisfied_by_every_graph(simulated):
    knowledge = Knowledge(tiers=[["X6", "X5"], ["X1", "X2", "X3", "X4"]], closed_tiers=[1], max_parents=2)
    fitted = GFlowCausal(knowledge=knowledge, forbid=[("X5", "X1")], require=["X2->X3"], **QUICK).fit(simulated)
    for graph in [fitted.graph_, *(one.graph for one in fitted.samples_)]:
        assert "X2" in graph.parents("X3")
        assert graph.parents("X5") == graph.parents("X6") == []
        assert "X5" not in graph.parents("X1")
        assert max(len(graph.parents(name)) for name in graph.names) <= 2


def test_contradictions_are_refused_with_the_smallest_conflict(simulated):
    with pytest.raises(gflowcausal.errors.KnowledgeError) as refused:
        GFlowCausal(require=["X1->X2", "X2->X1", "X3->X4"]).fit(simulated)
    assert refused.value.args[0] == "these constraints cannot all hold: require X1->X2; require X2->X1"
    assert refused.value.code == "contradictory-constraints"


def test_a_knowledge_file_is_read(tmp_path, simulated):
    path = tmp_path / "tiers.txt"
    path.write_text("/knowledge\naddtemporal\n1 X6\n2* X1 X2 X3 X4 X5\n")
    for said in (path, str(path), path.read_text(), Knowledge.read(path)):
        fitted = GFlowCausal(knowledge=said, method="exact", samples=5).fit(simulated)
        assert {edge.cause for edge in fitted.graph_.edges} <= {"X6"}


def test_a_run_goes_on_to_the_same_bits(tmp_path, simulated):
    whole = GFlowCausal(**QUICK).fit(simulated)

    def interrupt(progress):
        if progress.iteration >= 7:
            raise StopIteration

    cut = GFlowCausal(out=tmp_path / "run", callback=interrupt, **QUICK).fit(simulated)
    assert cut.training_["stopped"] == "interrupted" and cut.training_["iterations"] == 7
    again = GFlowCausal(out=tmp_path / "run", resume=True, **QUICK).fit(simulated)
    for result in (whole.result_, again.result_):
        del result["seconds"]
    assert again.result_ == whole.result_
    assert (tmp_path / "run" / "result.json").exists()


def test_a_run_of_other_data_is_not_resumed(tmp_path, simulated):
    GFlowCausal(out=tmp_path, **QUICK).fit(simulated)
    with pytest.raises(gflowcausal.errors.CheckpointError) as refused:
        GFlowCausal(out=tmp_path, resume=True, **QUICK).fit(simulated.data[:300])
    assert refused.value.code == "checkpoint-of-other-data"


def test_every_method_of_the_registry_can_be_chosen_by_name(simulated):
    trained = ("gflowcausal", "dag-gflownet", "gflownets-score", "sac")
    for name in gflowcausal.methods():
        options = {"iterations": 10} if name in trained else {}
        assert gflowcausal.discover(simulated, method=name, **options).result_["method"] == name


def test_an_option_without_effect_is_refused(simulated):
    with pytest.raises(gflowcausal.errors.NoEffectError, match="^hidden has no effect with method exact"):
        GFlowCausal(method="exact", hidden=8).fit(simulated)


def test_a_fit_that_fails_leaves_nothing_old(simulated):
    fitted = GFlowCausal(**QUICK).fit(simulated)
    with pytest.raises(gflowcausal.GFlowCausalError):
        fitted.fit(np.ones((20, 3)))
    assert not hasattr(fitted, "graph_")
    with pytest.raises(gflowcausal.errors.NotFittedError):
        fitted.summary()


def test_a_method_of_one_graph_shows_no_probabilities(simulated):
    fitted = GFlowCausal(method="boss").fit(simulated)
    assert "probabilities: none, the method gives one graph" in fitted.summary()
    assert "probability" not in fitted._repr_html_().partition("<table>")[2]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"resume": True}, "needs the directory"),
        ({"out": ""}, "out is empty"),
        ({"time_budget": "10s"}, "must be seconds"),
        ({"threads": "2"}, "must be a whole number"),
        ({"threads": -3}, "must be at least 1"),
    ],
)
def test_surroundings_that_make_no_sense(options, words, simulated):
    with pytest.raises(gflowcausal.errors.ArgumentError, match=words):
        GFlowCausal(**options).fit(simulated)


def test_samples_are_counted_and_the_seed_of_the_run_stays(simulated):
    fitted = GFlowCausal(seed=None, **QUICK).fit(simulated)
    before = [one.log_reward for one in fitted.sample(5)]
    fitted.set_params(seed=99)
    assert [one.log_reward for one in fitted.sample(5)] == before
    for n in (0, -1, 1.5):
        with pytest.raises(gflowcausal.errors.ArgumentError):
            fitted.sample(n)
    with pytest.raises(gflowcausal.errors.FileError):
        fitted.report("/no/such/place/report.html")
    with pytest.raises(gflowcausal.errors.ArgumentError):
        fitted.set_params(seed=4, foo=3)
    assert fitted.seed == 99
