"""tf.train.Checkpoint in graphs: the nodes, the entries and their order, what is matched, what is refused."""

import os
import tempfile

from tests.oracle import attempt, program


def parts(tf):
    """Variables of both kinds and an optimizer with slots."""
    v = tf.get_variable("v", [2], initializer=tf.ones_initializer())
    w = tf.Variable(3.0, name="w")
    r = tf.get_variable("r", [3], initializer=tf.zeros_initializer(), use_resource=True)
    optimizer = tf.train.AdamOptimizer(0.1)
    train = optimizer.minimize(tf.reduce_sum(v) * w + tf.reduce_sum(r))
    return v, w, r, optimizer, train


def entries(tf, path):
    return tf.train.list_variables(path)


def described(tf, path):
    """The saved graph of objects, byte by byte."""
    return tf.train.load_checkpoint(path).get_tensor("_CHECKPOINTABLE_OBJECT_GRAPH")


@program()
def save_and_restore(tf):
    v, w, r, optimizer, train = parts(tf)
    step = tf.train.get_or_create_global_step()
    checkpoint = tf.train.Checkpoint(v=v, opt=optimizer, step=step, items=[w, {"a": v, "r.s/t": r}])
    found = []
    with tempfile.TemporaryDirectory() as folder, tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        path = checkpoint.save(os.path.join(folder, "c"))
        found += [os.path.relpath(path, folder), sorted(os.listdir(folder)), entries(tf, path), described(tf, path)]
        found.append(os.path.relpath(checkpoint.save(os.path.join(folder, "c")), folder))
        found += [sess.run(tf.trainable_variables()), sess.run(checkpoint.save_counter)]
        sess.run(train)
        status = checkpoint.restore(path)
        status.assert_consumed().assert_existing_objects_matched().run_restore_ops()
        found += [sess.run(tf.global_variables()), sess.run(checkpoint.save_counter)]
        checkpoint.restore(path).assert_nontrivial_match().initialize_or_restore()
        found.append(os.path.relpath(checkpoint.write(os.path.join(folder, "other")), folder))
        found += [os.path.relpath(tf.train.latest_checkpoint(folder), folder), sorted(os.listdir(folder))]
    return found


@program()
def restored_with_what_was_added_later(tf):
    """An object that is added after `restore` is restored by the next run."""
    v, w = tf.Variable([1.0, 2.0], name="v"), tf.Variable(3.0, name="w")
    with tempfile.TemporaryDirectory() as folder, tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        path = tf.train.Checkpoint(v=v, w=w).write(os.path.join(folder, "c"))
        sess.run([v.assign([9.0, 9.0]), w.assign(9.0)])
        later = tf.train.Checkpoint(w=w)
        status = later.restore(path)
        status.initialize_or_restore()
        first = sess.run([v, w])
        later.v = v
        status.run_restore_ops()
        return first, sess.run([v, w]), sess.run(later.save_counter)


@program(graph=False)
def what_is_saved(tf):
    v, w = tf.Variable([1.0, 2.0], name="v"), tf.Variable(3.0, name="w")
    found = []
    with tempfile.TemporaryDirectory() as folder, tf.Session() as sess:
        sess.run(tf.global_variables_initializer())

        def saved(checkpoint):
            found.append(attempt(lambda: entries(tf, checkpoint.write(os.path.join(folder, "c")))))
            if isinstance(found[-1], list):
                found.append(described(tf, os.path.join(folder, "c")))

        k = tf.train.Checkpoint(items=[v, w], table={"x": w, "n": 3})
        found.append([k.items == [v, w], k.table == {"x": w, "n": 3}, len(k.items)])
        saved(k)
        k.items.append(v)
        saved(k)
        k.items.extend([w])
        k.number = 7
        k.pair = (v, w)
        k.nested = [[v], {"deep": [w]}, 5]
        saved(k)
        del k.pair
        k.table["y"] = v
        del k.table["x"]
        saved(k)
        k = tf.train.Checkpoint(items=[w])
        k.items = [v]
        saved(k)
        k.items[0] = w
        saved(k)
        k.items = "gone"
        saved(k)
        for change in (
            lambda items: items.pop(), lambda items: items.reverse(), lambda items: items.insert(0, w),
            lambda items: items.remove(v), lambda items: items.__delitem__(0), lambda items: items.clear(),
        ):  # fmt: skip
            k = tf.train.Checkpoint(items=[v, w, v])
            change(k.items)
            saved(k)
        saved(tf.train.Checkpoint(table={3: w}))
        saved(tf.train.Checkpoint(table={3: 4, "a": w}))
        saved(tf.train.Checkpoint())
        saved(tf.train.Checkpoint(inner=tf.train.Checkpoint(v=v), again=v))
    return found


@program(graph=False, messages=[])
def what_is_refused(tf):
    v = tf.Variable([1.0, 2.0], name="v")
    return [
        attempt(lambda: tf.train.Checkpoint(a=3)),
        attempt(lambda: tf.train.Checkpoint(a=tf.constant(3))),
        attempt(lambda: tf.train.Checkpoint(a="text")),
        attempt(lambda: tf.train.Checkpoint(a=None)),
        attempt(lambda: tf.train.Checkpoint(v)),
        attempt(lambda: tf.train.Checkpoint(a=[3, v]).a),
    ]


@program(graph=False)
def matching(tf):
    v, w = tf.Variable([1.0, 2.0], name="v"), tf.Variable(3.0, name="w")
    u = tf.Variable([3, 4], name="u")
    optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
    optimizer.minimize(tf.reduce_sum(v) * w, var_list=[v, w])
    found = []
    with tempfile.TemporaryDirectory() as folder, tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        whole = tf.train.Checkpoint(v=v, opt=optimizer, items=[tf.train.Checkpoint(w=w)], table={"k/x": w})
        path = whole.save(os.path.join(folder, "c"))
        for checkpoint in (
            whole,
            tf.train.Checkpoint(),
            tf.train.Checkpoint(v=v),
            tf.train.Checkpoint(v=v, u=u),
            tf.train.Checkpoint(u=u),
            tf.train.Checkpoint(v=v, items=[], table={}),
            tf.train.Checkpoint(v=v, items=[tf.train.Checkpoint(w=w)]),
            tf.train.Checkpoint(v=v, items=[tf.train.Checkpoint(w=w)], table={"k/x": w}),
            tf.train.Checkpoint(v=v, opt=tf.train.MomentumOptimizer(0.1, 0.9), items=[tf.train.Checkpoint(w=w)]),
        ):
            status = checkpoint.restore(path)
            for ask in ("assert_consumed", "assert_existing_objects_matched", "assert_nontrivial_match"):
                result = attempt(getattr(status, ask))
                found.append(True if result is status else result)
        found.append(attempt(lambda: tf.train.Checkpoint(v=u).restore(path).run_restore_ops()))
        found.append(attempt(lambda: tf.train.Checkpoint(v=w).restore(path).run_restore_ops()))
        status = whole.restore(None)
        for ask in ("assert_consumed", "assert_existing_objects_matched", "assert_nontrivial_match", "run_restore_ops"):
            found.append(attempt(getattr(status, ask)))
        sess.run(v.assign([7.0, 7.0]))
        status.initialize_or_restore()
        found.append(sess.run([v, whole.save_counter]))
    return found


@program(graph=False, messages=[])
def no_such_checkpoint(tf):
    with tempfile.TemporaryDirectory() as folder:
        return attempt(lambda: tf.train.Checkpoint().restore(os.path.join(folder, "none")))


@program()
def read_by_a_saver(tf):
    """A Saver finds the variables of an object-based checkpoint by the names that they had."""
    v, w, r, optimizer, _ = parts(tf)
    with tempfile.TemporaryDirectory() as folder, tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        checkpoint = tf.train.Checkpoint(items=[v, w], opt=optimizer, r=r)
        path = checkpoint.save(os.path.join(folder, "c"))
        sess.run([v.assign([9.0, 9.0]), w.assign(9.0)])
        tf.train.Saver([v, w, r, optimizer.get_slot(v, "m")]).restore(sess, path)
        return sess.run([v, w])


@program(graph=False)
def read_by_a_saver_of_more(tf):
    v, w = tf.Variable([1.0, 2.0], name="v"), tf.Variable(3.0, name="w")
    u = tf.Variable([3, 4], name="u")
    with tempfile.TemporaryDirectory() as folder, tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        path = tf.train.Checkpoint(items=[v, w]).write(os.path.join(folder, "c"))
        return attempt(lambda: tf.train.Saver([u]).restore(sess, path))


@program(graph=False)
def manager(tf):
    v = tf.Variable([1.0, 2.0], name="v")
    step = tf.train.get_or_create_global_step()
    checkpoint = tf.train.Checkpoint(v=v)
    manage = tf.train.CheckpointManager
    found = [
        attempt(lambda: manage(checkpoint, "x", max_to_keep=0)),
        attempt(lambda: manage(checkpoint, "x")),
        attempt(lambda: manage(checkpoint, "x", 3, checkpoint_interval=2)),
    ]
    with tempfile.TemporaryDirectory() as folder, tf.Session() as sess:
        sess.run(tf.global_variables_initializer())

        def short(path):
            return path and os.path.relpath(path, folder)

        first = manage(checkpoint, os.path.join(folder, "m"), max_to_keep=2)
        found += [first.latest_checkpoint, first.checkpoints, first.checkpoint_interval]
        for _ in range(3):
            found += [short(first.save()), sorted(os.listdir(first.directory))]
        found += [short(first.save(checkpoint_number=77)), [short(path) for path in first.checkpoints]]
        again = manage(checkpoint, os.path.join(folder, "m"), max_to_keep=3)
        found += [[short(path) for path in again.checkpoints], short(again.restore_or_initialize())]
        found.append(sess.run(checkpoint.save_counter))
        kept = manage(checkpoint, os.path.join(folder, "n"), 1, 1e-9, checkpoint_name="foo")
        found += [[short(kept.save()) for _ in range(3)], sorted(os.listdir(kept.directory))]
        found.append([short(path) for path in kept.checkpoints])
        counted = manage(checkpoint, os.path.join(folder, "o"), None, step_counter=step, checkpoint_interval=2)
        for number in range(5):
            found.append(short(counted.save(step)))
            if number == 1:
                found.append(short(counted.save(check_interval=False)))
            sess.run(step.assign_add(1))
        calls = []
        fresh = manage(checkpoint, os.path.join(folder, "z"), 3, init_fn=lambda: calls.append(1))
        found += [fresh.restore_or_initialize(), calls]
    return found
